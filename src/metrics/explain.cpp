#include "metrics/explain.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include "metrics/call_metrics.hpp"
#include "model/device_metrics.hpp"

namespace assay::metrics {
namespace {

constexpr std::size_t kMostLaunchLines = 5;
constexpr std::size_t kLongestName = 60;

/// What to try, by what was found.
std::string_view advice_for(std::string_view rule) {
  static constexpr std::array kAdvice =
      std::to_array<std::pair<std::string_view, std::string_view>>({
          {"memory_bound",
           "move fewer bytes: fuse with the neighbouring operations, keep what is read twice in "
           "shared memory or registers, use a narrower format"},
          {"compute_bound",
           "do less arithmetic or do it on a faster unit: tensor cores, a narrower format, fewer "
           "divisions and special functions"},
          {"latency_bound",
           "give every multiprocessor more to do at once: more blocks, more independent loads per "
           "thread, fewer barriers, fewer launches"},
          {"small_grid",
           "split the work into more blocks, for example along the reduced dimension"},
          {"low_occupancy",
           "use fewer registers or less shared memory per block, or smaller blocks, if warps wait"},
          {"waiting", "start loads earlier (prefetch, asynchronous copies) and work meanwhile"},
          {"uncoalesced",
           "let neighbouring threads read neighbouring addresses; transpose through shared memory"},
          {"not_captured", "look at copies, gaps between launches and work on the host first"},
      });
  for (const auto& [name, advice] : kAdvice) {
    if (name == rule) return advice;
  }
  return {};
}

struct Shown {
  std::string_view group;
  std::string_view key;
  std::string_view label;
  std::string_view unit;
  double scale = 1;
};
constexpr std::array kShown = {
    Shown{"timing_metrics", "gpu_time_duration_sum", "GPU time", "us", 1e-3},
    Shown{"speed_of_light", "compute_throughput_pct", "compute, of peak", "%"},
    Shown{"speed_of_light", "memory_throughput_pct", "memory, of peak", "%"},
    Shown{"memory_metrics", "dram_total_bandwidth_gb_s", "DRAM bandwidth", "GB/s"},
    Shown{"detailed_metrics", "l2_hit_rate_pct", "L2 hit rate", "%"},
    Shown{"occupancy_metrics", "warp_occupancy_pct", "occupancy reached", "%"},
    Shown{"roofline_metrics", "arithmetic_intensity", "arithmetic intensity", "FLOP/B"},
    Shown{"roofline_metrics", "gflops", "arithmetic", "GFLOP/s"},
    Shown{"roofline_metrics", "of_attainable_pct", "of what the roofline allows", "%"},
};

std::string shortened(const std::string& name) {
  if (name.size() <= kLongestName) return name;
  return name.substr(0, kLongestName - 3) + "...";
}

void add_launches(const CallMetrics& call, std::string& page) {
  std::vector<const MetricLaunch*> sorted;
  for (const MetricLaunch& launch : call.launches) sorted.push_back(&launch);
  std::ranges::stable_sort(sorted, std::ranges::greater(),
                           [](const MetricLaunch* l) { return l->duration_ns.value_or(0); });
  page += fmt::format("Launches in the call: {}\n", sorted.size());
  for (std::size_t i = 0; i < std::min(sorted.size(), kMostLaunchLines); ++i) {
    const MetricLaunch& launch = *sorted[i];
    page += fmt::format("  {:5.1f} %  {:10.2f} us  {}  grid {}  block {}\n",
                        100 * launch.share.value_or(0), launch.duration_ns.value_or(0) / 1e3,
                        shortened(launch.kernel), launch.grid, launch.block);
  }
}

void add_findings(const CallMetrics& call, std::string& page) {
  for (const MetricFinding& finding : call.findings) page += fmt::format("* {}\n", finding.text);
}

void add_numbers(const DeviceMetrics& metrics, std::string& page) {
  page +=
      fmt::format("\n{:<30} {:>14} {:>14}\n", "", metrics.original ? "reference" : "", "candidate");
  for (const Shown& shown : kShown) {
    const auto after = number_in(*metrics.custom, shown.group, shown.key);
    const auto before =
        metrics.original ? number_in(*metrics.original, shown.group, shown.key) : std::nullopt;
    if (!after && !before) continue;
    const auto cell = [&](std::optional<double> value) {
      return value ? fmt::format("{:.5g}", *value * shown.scale) : std::string("-");
    };
    page += fmt::format("{:<30} {:>14} {:>14} {}\n", shown.label,
                        metrics.original ? cell(before) : "", cell(after), shown.unit);
  }
}

void add_advice(const CallMetrics& call, std::string& page) {
  bool any = false;
  for (const MetricFinding& finding : call.findings) {
    const std::string_view advice = advice_for(finding.rule);
    if (advice.empty()) continue;
    if (!std::exchange(any, true)) page += "\nWhat to try\n";
    page += fmt::format("* {}\n", advice);
  }
  if (!any) page += "\nThe counters suggest nothing in particular.\n";
}

}  // namespace

std::string explain(const DeviceMetrics& metrics) {
  const MetricsStatus& status = metrics.status;
  if (!metrics.custom) {
    std::string page =
        fmt::format("No device metrics ({}): {}\n", to_string(status.state), status.reason);
    if (!status.advice.empty()) page += fmt::format("What to do: {}\n", status.advice);
    return page;
  }
  std::string page = "What limits the candidate\n";
  add_findings(*metrics.custom, page);
  add_numbers(metrics, page);
  page += "\n";
  add_launches(*metrics.custom, page);
  if (metrics.original) {
    page += "\nThe reference\n";
    add_findings(*metrics.original, page);
  }
  add_advice(*metrics.custom, page);
  page +=
      "\nCounters were read in a separate run: kernel replay, caches emptied before every pass, "
      "clocks left alone";
  if (!status.profiler.empty()) page += fmt::format("; ncu {}", status.profiler);
  page += ".\n";
  if (metrics.custom->runs > 1) {
    page += fmt::format("Numbers are the medians of {} runs; device_metrics has their spread.\n",
                        metrics.custom->runs);
  }
  if (!status.kernels.empty()) page += fmt::format("Profiled: {}.\n", status.kernels);
  const auto name = [](const std::string& side) {
    return side == "original" ? "reference" : "candidate";
  };
  for (const std::string& side : status.cached) {
    page += fmt::format("Those of the {} are of an earlier run of the same build.\n", name(side));
  }
  for (const CollectorUsed& used : status.collectors) {
    if (used.by != MetricsCollector::cupti) continue;
    page += fmt::format("CUPTI read those of the {}, in its own runner.\n", name(used.side));
  }
  if (!status.reason.empty()) page += status.reason + "\n";
  return page;
}

}  // namespace assay::metrics
