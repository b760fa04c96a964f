#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "trace/analysis/profile_sums.hpp"
#include "trace/table.hpp"

namespace assay::trace {

/// A condition under which a comparison fails: "kernel_time > +5%".
struct GateRule {
  enum class Comparison : std::uint8_t { greater, greater_equal, less, less_equal };
  enum class Kind : std::uint8_t {
    percent_change,  // "+5%", "-3%": of A
    change,          // "+2ms": B minus A
    value,           // "1.5s": B
  };
  std::string text;    // as written
  std::string metric;  // see find_metric
  Comparison comparison = Comparison::greater;
  Kind kind = Kind::value;
  double threshold = 0;  // nanoseconds, bytes, a count, or percent
};

/// Fails with `invalid_argument`, quoting the rule, if it does not have the form `FIGURE >
/// THRESHOLD` or a similar one.
[[nodiscard]] Result<GateRule> parse_gate(std::string_view text);

struct GateResult {
  GateRule rule;
  double a = 0;
  double b = 0;
  ColumnType type = ColumnType::real;  // of both
  double compared = 0;                 // with the threshold
  bool failed = false;
};

/// Fails where a profile lacks the figure: a gate that cannot be judged must not pass.
[[nodiscard]] Result<GateResult> judge_gate(const GateRule& rule, const ProfileSums& a,
                                            const ProfileSums& b);

/// Adds a finding per result and the table `gate`; tells whether any failed.
bool add_gate(std::span<const GateResult> results, Report& report);

}  // namespace assay::trace
