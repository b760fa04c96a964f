#include "metrics/over_runs.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <variant>
#include <vector>

#include "metrics/call_metrics.hpp"
#include "metrics/findings.hpp"
#include "model/device_metrics.hpp"

namespace assay::metrics {
namespace {

double time_of(const CallMetrics& call) {
  return number_in(call, "timing_metrics", "gpu_time_duration_sum").value_or(0);
}

/// `sorted` is not empty.
double median_of(std::span<const double> sorted) {
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

}  // namespace

std::size_t middle_run(std::span<const CallMetrics> runs) {
  std::vector<std::size_t> order(runs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return time_of(runs[i]); });
  return order[(order.size() - 1) / 2];
}

CallMetrics over_runs(std::span<const CallMetrics> runs) {
  CallMetrics call = runs[middle_run(runs)];
  if (runs.size() == 1) return call;
  call.runs = runs.size();
  for (MetricGroup& group : call.groups) {
    for (MetricValue& value : group.values) {
      auto* const number = std::get_if<double>(&value.value);
      if (number == nullptr) continue;
      std::vector<double> all;
      for (const CallMetrics& run : runs) {
        if (const auto one = number_in(run, group.name, value.key)) all.push_back(*one);
      }
      std::ranges::sort(all);
      *number = median_of(all);
      if (all.front() == all.back()) continue;
      call.spread.push_back(
          {.group = group.name, .key = value.key, .least = all.front(), .most = all.back()});
    }
  }
  call.findings = find_what_they_say(call);
  return call;
}

}  // namespace assay::metrics
