#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "trace/ncu/report.hpp"
#include "trace/ncu/summary.hpp"

namespace assay::metrics {

/// How the value of several launches is computed.
enum class Rule : std::uint8_t {
  time_weighted,  // the mean, each launch counting by its duration
  summed,
  ratio,    // the sum of the one amount over the sum of the other
  longest,  // as it was in the launch that took the longest
};

[[nodiscard]] std::string_view to_string(Rule rule);

/// One launch, read once.
struct LaunchFacts {
  const trace::NcuLaunch& launch;
  trace::LaunchSummary summary;
};

using Read = std::optional<double> (*)(const LaunchFacts&);

/// One number of the answer.
struct Key {
  std::string_view group;
  std::string_view key;
  std::string_view unit;    // of the number
  std::string_view metric;  // the profiler's own name, or how the number is made from those
  Rule rule = Rule::time_weighted;
  Read read = nullptr;     // null: the metric itself
  Read divisor = nullptr;  // of a ratio
  double per = 1;          // what the metric itself is divided by
};

/// All numbers, group by group.
[[nodiscard]] std::span<const Key> keys();

/// Why warps wait, by the profiler's names.
[[nodiscard]] std::span<const std::string_view> stall_reasons();

/// What the key is in one launch; nothing where the report does not say.
[[nodiscard]] std::optional<double> value_of(const Key& key, const LaunchFacts& facts);

}  // namespace assay::metrics
