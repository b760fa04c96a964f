#include "metrics/call_metrics.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include "base/error.hpp"
#include "base/result.hpp"
#include "metrics/findings.hpp"
#include "metrics/keys.hpp"
#include "model/device_metrics.hpp"
#include "trace/ncu/report.hpp"
#include "trace/ncu/summary.hpp"

namespace assay::metrics {
namespace {

std::string shape_of(const std::optional<std::array<std::uint64_t, 3>>& shape) {
  if (!shape) return {};
  return fmt::format("{} x {} x {}", (*shape)[0], (*shape)[1], (*shape)[2]);
}

double weight_of(const LaunchFacts& facts) {
  return facts.summary.work.duration_ns.value_or(0);
}

const LaunchFacts& longest_of(const std::vector<LaunchFacts>& launches) {
  return *std::ranges::max_element(launches, {}, weight_of);
}

/// Launches that lack the number are left out of means; a sum without them would be too small.
std::optional<double> combine(const Key& key, const std::vector<LaunchFacts>& launches) {
  if (key.rule == Rule::longest) return value_of(key, longest_of(launches));
  double sum = 0;
  double parts = 0;
  for (const LaunchFacts& facts : launches) {
    if (key.rule == Rule::ratio) {
      const auto above = key.read(facts);
      const auto below = key.divisor(facts);
      if (!above || !below) return std::nullopt;
      sum += *above;
      parts += *below;
      continue;
    }
    const auto value = value_of(key, facts);
    if (key.rule == Rule::summed) {
      if (!value) return std::nullopt;
      sum += *value;
      parts = 1;
    } else if (value) {
      const double weight = launches.size() == 1 ? 1 : weight_of(facts);
      sum += *value * weight;
      parts += weight;
    }
  }
  return parts > 0 ? std::optional(sum / parts) : std::nullopt;
}

MetricGroup& group_named(std::vector<MetricGroup>& groups, std::string_view name) {
  const auto found = std::ranges::find(groups, name, &MetricGroup::name);
  if (found != groups.end()) return *found;
  return groups.emplace_back(std::string(name));
}

/// What is text, of the launch that took the longest.
void add_words(const LaunchFacts& facts, std::vector<MetricGroup>& groups) {
  const auto add = [&](std::string_view group, std::string_view key, std::string value) {
    if (!value.empty()) {
      group_named(groups, group).values.push_back({std::string(key), std::move(value)});
    }
  };
  add("speed_of_light", "compute_limiter", facts.summary.compute_limiter);
  add("speed_of_light", "memory_limiter", facts.summary.memory_limiter);
  add("occupancy_metrics", "occupancy_limiter", facts.summary.occupancy_limiter);
  if (facts.summary.work.duration_ns) {
    add("timing_metrics", "gpu_time_duration_unit", "ns");
    add("timing_metrics", "gpc_cycles_elapsed_unit", "cycle");
  }
}

template <class ValueOf>
std::vector<MetricGroup> make_groups(const LaunchFacts& words, ValueOf value) {
  std::vector<MetricGroup> groups;
  for (const Key& key : keys()) {
    if (const auto number = value(key)) {
      group_named(groups, key.group).values.push_back({std::string(key.key), *number});
    }
  }
  add_words(words, groups);
  return groups;
}

bool is_in(const trace::NcuLaunch& launch, std::string_view range) {
  return std::ranges::find(launch.nvtx, range, &trace::NcuNvtxRange::name) != launch.nvtx.end();
}

}  // namespace

Result<CallMetrics> read_call(const trace::NcuReport& report, std::string_view range) {
  std::vector<LaunchFacts> launches;
  double total = 0;
  for (const trace::NcuLaunch& launch : report.launches) {
    if (!is_in(launch, range)) continue;
    launches.push_back({.launch = launch, .summary = trace::summarize(launch)});
    total += weight_of(launches.back());
  }
  if (launches.empty()) {
    return fail(ErrorCode::not_found,
                fmt::format("the report has no launch inside the range {}", range));
  }
  CallMetrics call;
  call.groups =
      make_groups(longest_of(launches), [&](const Key& key) { return combine(key, launches); });
  for (const LaunchFacts& facts : launches) {
    const auto duration = facts.summary.work.duration_ns;
    call.launches.push_back(
        {.kernel = facts.launch.name,
         .grid = shape_of(facts.launch.grid),
         .block = shape_of(facts.launch.block),
         .duration_ns = duration,
         .share = duration && total > 0 ? std::optional(*duration / total) : std::nullopt,
         .groups = make_groups(facts, [&](const Key& key) { return value_of(key, facts); })});
  }
  call.findings = find_what_they_say(call);
  return call;
}

std::optional<double> number_in(const CallMetrics& call, std::string_view group,
                                std::string_view key) {
  const auto found = std::ranges::find(call.groups, group, &MetricGroup::name);
  if (found == call.groups.end()) return std::nullopt;
  const auto value = std::ranges::find(found->values, key, &MetricValue::key);
  if (value == found->values.end()) return std::nullopt;
  const auto* number = std::get_if<double>(&value->value);
  return number == nullptr ? std::nullopt : std::optional(*number);
}

std::string profiler_version(const trace::NcuReport& report) {
  for (const trace::NcuVersion& version : report.session.versions) {
    if (version.provider.find("Nsight Compute") != std::string::npos) return version.version;
  }
  return report.session.versions.empty() ? std::string() : report.session.versions.front().version;
}

}  // namespace assay::metrics
