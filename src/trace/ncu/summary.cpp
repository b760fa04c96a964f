#include "trace/ncu/summary.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "trace/ncu/report.hpp"
#include "trace/ncu/work.hpp"

namespace assay::trace {
namespace {

constexpr std::string_view kCompute = "sm__throughput.avg.pct_of_peak_sustained_elapsed";
constexpr std::string_view kMemory =
    "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed";

/// The resources that allow the fewest blocks per multiprocessor.
std::string occupancy_limiter(const NcuLaunch& launch, std::optional<double> theoretical_pct) {
  static constexpr std::array kLimits =
      std::to_array<std::pair<std::string_view, std::string_view>>(
          {{"launch__occupancy_limit_registers", "registers"},
           {"launch__occupancy_limit_shared_mem", "shared memory"},
           {"launch__occupancy_limit_warps", "warps"},
           {"launch__occupancy_limit_blocks", "blocks"},
           {"launch__occupancy_limit_barriers", "barriers"}});
  if (theoretical_pct && *theoretical_pct >= 100) return "none";
  std::optional<double> fewest;
  std::string names;
  for (const auto& [metric, name] : kLimits) {
    const auto limit = launch.number(metric);
    if (!limit || (fewest && *limit > *fewest)) continue;
    if (fewest && *limit == *fewest) {
      names += fmt::format(", {}", name);
    } else {
      names = name;
    }
    fewest = limit;
  }
  return names;
}

/// A throughput is the highest of several; the report lists them under `breakdown:`.
std::string throughput_limiter(const NcuLaunch& launch, std::string_view throughput) {
  std::string_view parts = launch.text(fmt::format("breakdown:{}", throughput));
  std::string_view highest;
  double value = 0;
  while (!parts.empty()) {
    const std::string_view part = parts.substr(0, parts.find(','));
    parts.remove_prefix(std::min(parts.size(), part.size() + 1));
    const auto share = launch.number(part);
    if (share && *share > value) {
      value = *share;
      highest = part;
    }
  }
  return std::string(highest.substr(0, highest.find('.')));
}

}  // namespace

std::string_view to_string(Bound bound) {
  switch (bound) {
    case Bound::unknown:
      return "unknown";
    case Bound::compute:
      return "compute";
    case Bound::memory:
      return "memory";
    case Bound::balanced:
      return "balanced";
    case Bound::latency:
      return "latency";
  }
  return "unknown";
}

Bound bound_of(std::optional<double> compute, std::optional<double> memory) {
  if (!compute || !memory) return Bound::unknown;
  if (*compute < kLatencyBelow && *memory < kLatencyBelow) return Bound::latency;
  if (std::abs(*compute - *memory) <= kBalancedWithin) return Bound::balanced;
  return *compute > *memory ? Bound::compute : Bound::memory;
}

LaunchSummary summarize(const NcuLaunch& launch) {
  LaunchSummary summary{
      .work = measure_work(launch),
      .compute_pct = launch.number(kCompute),
      .memory_pct = launch.number(kMemory),
      .theoretical_occupancy_pct = launch.number("sm__maximum_warps_per_active_cycle_pct"),
      .achieved_occupancy_pct = launch.number("sm__warps_active.avg.pct_of_peak_sustained_active")};
  summary.bound = bound_of(summary.compute_pct, summary.memory_pct);
  summary.occupancy_limiter = occupancy_limiter(launch, summary.theoretical_occupancy_pct);
  summary.compute_limiter = throughput_limiter(launch, kCompute);
  summary.memory_limiter = throughput_limiter(launch, kMemory);
  return summary;
}

}  // namespace assay::trace
