#include "trace/analysis/launches.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "trace/analysis/summary.hpp"
#include "trace/analysis/within.hpp"
#include "trace/events/events.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

/// Kernels and calls side by side: `value` of each kernel whose call is known, by kernel name.
template <class Value>
std::vector<Group> by_name(const Trace& trace, Value value, bool once_per_call) {
  const Kernels& kernels = trace.kernels;
  std::vector<std::uint8_t> counted(once_per_call ? trace.calls.size() : 0, 0);
  // group_values asks for each key twice; the second answer must be the first.
  std::vector<std::uint8_t> skipped(once_per_call ? kernels.size() : 0, 0);
  for (std::size_t row = 0; row < skipped.size(); ++row) {
    if (kernels.call[row] == kNone) continue;
    skipped[row] = counted[kernels.call[row]];
    counted[kernels.call[row]] = 1;
  }
  const auto key_of = [&](std::size_t row) {
    if (kernels.call[row] == kNone) return kNone;
    if (once_per_call && skipped[row] != 0) return kNone;
    return trace.functions[kernels.function[row]].name;
  };
  return group_values(kernels.size(), trace.strings.size(), key_of, value,
                      [&](std::uint32_t key) { return trace.strings.view(key); });
}

std::vector<Summary> by_key(const std::vector<Group>& groups, std::size_t keys) {
  std::vector<Summary> out(keys);
  for (const Group& group : groups) out[group.key] = group.summary;
  return out;
}

/// The times at which kernels and graphs of a device were launched and, in order, started.
struct Moments {
  std::vector<std::int64_t> launched;
  std::vector<std::int64_t> started;
};

QueueDepth depth_of(std::int64_t device, Moments moments) {
  std::ranges::sort(moments.launched);
  if (!std::ranges::is_sorted(moments.started)) std::ranges::sort(moments.started);
  QueueDepth out{.device = device, .launches = moments.launched.size()};
  if (moments.launched.empty()) return out;
  std::int64_t since = moments.launched.front();
  std::uint64_t depth = 0;
  double area = 0;
  std::size_t next = 0;
  for (const std::int64_t start : moments.started) {
    for (; next < moments.launched.size() && moments.launched[next] <= start; ++next) {
      const std::int64_t passed = moments.launched[next] - since;
      area += static_cast<double>(depth) * static_cast<double>(passed);
      if (depth == 0) out.empty += passed;
      since = moments.launched[next];
      out.peak = std::max(out.peak, ++depth);
    }
    area += static_cast<double>(depth) * static_cast<double>(start - since);
    if (depth == 0) out.empty += start - since;
    since = start;
    if (depth > 0) --depth;
  }
  out.span = since - moments.launched.front();
  out.average = out.span > 0 ? area / static_cast<double>(out.span) : 0;
  return out;
}

/// The moments of one device, apart for each window of a part of a profile.
std::vector<Moments> moments_of(const Trace& trace, std::int64_t device) {
  std::vector<Moments> out(std::max<std::size_t>(trace.windows.size(), 1));
  for (const Work* work :
       {static_cast<const Work*>(&trace.kernels), static_cast<const Work*>(&trace.graphs)}) {
    for (std::size_t row = 0; row < work->size(); ++row) {
      const std::uint32_t call = work->call[row];
      if (call == kNone || trace.queues[work->queue[row]].device != device) continue;
      const std::int64_t launched = trace.calls.start[call];
      Moments& moments = out[trace.windows.empty() ? 0 : window_at(trace.windows, launched)];
      // A clock that is a little off may show a kernel before its own launch.
      moments.launched.push_back(std::min(launched, work->start[row]));
      moments.started.push_back(work->start[row]);
    }
  }
  return out;
}

/// What parts of a device's time come to together.
void add_depth(const QueueDepth& part, QueueDepth& sum) {
  const double area =
      sum.average * static_cast<double>(sum.span) + part.average * static_cast<double>(part.span);
  sum.launches += part.launches;
  sum.peak = std::max(sum.peak, part.peak);
  sum.empty += part.empty;
  sum.span += part.span;
  sum.average = sum.span > 0 ? area / static_cast<double>(sum.span) : 0;
}

}  // namespace

std::vector<LaunchSum> launch_sums(const Trace& trace) {
  const Kernels& kernels = trace.kernels;
  const Calls& calls = trace.calls;
  const std::size_t keys = trace.strings.size();
  const auto kernel = by_name(trace, [&](std::size_t row) { return kernels.duration(row); }, false);
  const auto call =
      by_key(by_name(
                 trace, [&](std::size_t row) { return calls.duration(kernels.call[row]); }, true),
             keys);
  const auto wait = by_key(by_name(
                               trace,
                               [&](std::size_t row) {
                                 const std::int64_t since = calls.end[kernels.call[row]];
                                 return std::max<std::int64_t>(kernels.start[row] - since, 0);
                               },
                               false),
                           keys);
  const auto delay = by_key(
      by_name(
          trace,
          [&](std::size_t row) { return kernels.start[row] - calls.start[kernels.call[row]]; },
          false),
      keys);
  std::vector<LaunchSum> sums;
  sums.reserve(kernel.size());
  for (const Group& group : kernel) {
    sums.push_back({.name = std::string(trace.strings.view(group.key)),
                    .call = call[group.key],
                    .wait = wait[group.key],
                    .delay = delay[group.key],
                    .kernel = group.summary});
  }
  return sums;
}

Table launch_table(const std::vector<LaunchSum>& sums) {
  Table table{.name = "launch_latency",
              .title = "From launch to start, by kernel",
              .columns = {{"count", "Count", ColumnType::integer},
                          {"call_average_ns", "Call avg", ColumnType::duration},
                          {"call_median_ns", "Call med", ColumnType::duration},
                          {"wait_average_ns", "Wait avg", ColumnType::duration},
                          {"wait_median_ns", "Wait med", ColumnType::duration},
                          {"wait_max_ns", "Wait max", ColumnType::duration},
                          {"delay_median_ns", "Call to start med", ColumnType::duration},
                          {"kernel_average_ns", "Kernel avg", ColumnType::duration},
                          {"name", "Name", ColumnType::text}}};
  for (const LaunchSum& sum : sums) {
    table.add_row({sum.kernel.count, one_decimal(sum.call.average), one_decimal(sum.call.median),
                   one_decimal(sum.wait.average), one_decimal(sum.wait.median), sum.wait.greatest,
                   one_decimal(sum.delay.median), one_decimal(sum.kernel.average), sum.name});
  }
  table.notes.emplace_back(
      "Wait is from the call's return to the kernel's start, 0 where the kernel started before.");
  return table;
}

std::vector<QueueDepth> queue_depths(const Trace& trace) {
  std::vector<QueueDepth> depths;
  for (const std::int64_t device : trace.devices()) {
    QueueDepth sum{.device = device};
    for (Moments& moments : moments_of(trace, device)) {
      add_depth(depth_of(device, std::move(moments)), sum);
    }
    depths.push_back(sum);
  }
  return depths;
}

Table queue_table(const std::vector<QueueDepth>& depths) {
  Table table{.name = "queue_depth",
              .title = "Launched and not yet started",
              .columns = {{"device", "GPU", ColumnType::integer},
                          {"launches", "Launches", ColumnType::integer},
                          {"average_depth", "Average", ColumnType::real},
                          {"peak_depth", "Peak", ColumnType::integer},
                          {"empty_ns", "Empty", ColumnType::duration},
                          {"empty_pct", "Empty", ColumnType::percent}}};
  for (const QueueDepth& depth : depths) {
    table.add_row({depth.device, depth.launches, one_decimal(depth.average), depth.peak,
                   depth.empty,
                   share_pct(static_cast<double>(depth.empty), static_cast<double>(depth.span))});
  }
  return table;
}

}  // namespace assay::trace
