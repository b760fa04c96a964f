#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "trace/analysis/analysis.hpp"
#include "trace/analysis/attention_flops.hpp"
#include "trace/analysis/attribution.hpp"
#include "trace/analysis/passes.hpp"
#include "trace/analysis/sums.hpp"
#include "trace/table.hpp"

namespace assay::trace {

/// What a question is about, beside the profile.
struct AskOptions {
  std::string range;            // answers are about what was launched inside it; empty: see each
  std::string iteration;        // the range that is one; empty: it is `range`, or found
  std::string against_range;    // to compare with: a range of the same profile ("A + B": of either)
  Analysis* against = nullptr;  // or another profile
  RangeRule rule = RangeRule::both;
  std::optional<std::chrono::nanoseconds> measured;  // by a clock in the program
  double tolerance_pct = 5;
  std::optional<AttentionShape> shape;
  KernelNaming naming = KernelNaming::demangled;
  /// What questions about kernels are about where `range` is empty. If it is not forward, they have
  /// no answer without such passes; the question in words says it.
  PassKind pass = PassKind::forward;
};

struct QuestionName {
  std::string_view name;
  std::string_view question;
};

[[nodiscard]] std::vector<QuestionName> questions();

/// The question a text asks: one of the names, or words that fit one of them better than all
/// others. If none or several fit, it fails with `invalid_argument` and lists the questions.
[[nodiscard]] Result<std::string_view> which_question(std::string_view text);

/// The answer as the first finding of a report, with the tables it rests on. If the profile lacks
/// what an answer needs, the finding is an abstention that says so. Fails where the question is not
/// known.
[[nodiscard]] Result<Report> ask(Analysis& analysis, std::string_view question,
                                 const AskOptions& options);

}  // namespace assay::trace
