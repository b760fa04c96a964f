#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "trace/ncu/report.hpp"
#include "trace/ncu/work.hpp"

namespace assay::trace {

/// What keeps a launch from being faster, by the two throughputs, as the tool itself reads them. A
/// launch that uses neither to 60 % waits for latency.
enum class Bound : std::uint8_t { unknown, compute, memory, balanced, latency };

[[nodiscard]] std::string_view to_string(Bound bound);

/// Within this many percentage points the two throughputs count as balanced.
inline constexpr double kBalancedWithin = 5;
/// Below this percentage of peak, on both, latency is the limit.
inline constexpr double kLatencyBelow = 60;

/// What people ask first of a launch.
struct LaunchSummary {
  LaunchWork work;
  std::optional<double> compute_pct;  // of peak, while elapsed
  std::optional<double> memory_pct;
  std::optional<double> theoretical_occupancy_pct;
  std::optional<double> achieved_occupancy_pct;
  Bound bound = Bound::unknown;
  std::string occupancy_limiter;  // "registers, shared memory"; "none" at full occupancy
  std::string compute_limiter;    // the busiest part behind compute_pct, where the report says
  std::string memory_limiter;
};

/// The same reading of any two percentages of peak.
[[nodiscard]] Bound bound_of(std::optional<double> compute_pct, std::optional<double> memory_pct);

[[nodiscard]] LaunchSummary summarize(const NcuLaunch& launch);

}  // namespace assay::trace
