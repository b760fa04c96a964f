#include "metrics/known_metrics.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "metrics/nearest_names.hpp"

namespace assay::metrics {
namespace {

// What reports of an H200 hold beside what CUPTI lists for its chip.
constexpr std::array<std::string_view, 17> kOwn{"c2clink__",     "derived__",
                                                "device__",      "inst_executed",
                                                "launch__",      "memory_",
                                                "numa__",        "nvlink__",
                                                "pmsampling",    "profiler__",
                                                "sass__",        "sm__maximum_warps_",
                                                "smsp__branch_", "smsp__maximum_warps",
                                                "smsp__pcsamp",  "smsp__sass_",
                                                "thread_inst_"};
constexpr std::string_view kSampled = "_realtime";
constexpr std::array<std::string_view, 7> kRollups{"avg", "max",   "max_rate", "min",
                                                   "pct", "ratio", "sum"};

std::string_view base_of(std::string_view metric) {
  return metric.substr(0, metric.find('.'));
}

/// The first word behind the name; empty where there is none, which asks for all of them.
std::string_view rollup_of(std::string_view metric) {
  const std::size_t dot = metric.find('.');
  return dot == std::string_view::npos ? "" : base_of(metric.substr(dot + 1));
}

/// CUPTI lists some only with where they are counted: "LTS.TriageCompute.lts__t_sectors".
std::string without_place(std::string name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string::npos ? name : name.substr(dot + 1);
}

}  // namespace

bool is_profilers_own(std::string_view metric) {
  return base_of(metric).ends_with(kSampled) ||
         std::ranges::any_of(kOwn, [&](auto prefix) { return metric.starts_with(prefix); });
}

KnownMetrics::KnownMetrics(std::vector<std::string> names) {
  for (std::string& name : names) names_.push_back(without_place(std::move(name)));
  std::ranges::sort(names_);
  names_.erase(std::ranges::unique(names_).begin(), names_.end());
}

bool KnownMetrics::has(std::string_view metric) const {
  return std::ranges::binary_search(names_, base_of(metric));
}

std::optional<std::string> KnownMetrics::mistake_in(std::span<const std::string> wanted) const {
  for (const std::string& metric : wanted) {
    if (is_profilers_own(metric)) continue;
    if (has(metric)) {
      const std::string_view rollup = rollup_of(metric);
      if (!metric.contains('.') || std::ranges::find(kRollups, rollup) != kRollups.end()) continue;
      return fmt::format("{} has no '.{}'; behind its name stands one of {}", base_of(metric),
                         rollup, fmt::join(kRollups, ", "));
    }
    const auto near = nearest_names(base_of(metric), names_);
    return near.empty() ? fmt::format("there is no metric {}", metric)
                        : fmt::format("there is no metric {}; did you mean {}?", metric,
                                      fmt::join(near, ", "));
  }
  return std::nullopt;
}

}  // namespace assay::metrics
