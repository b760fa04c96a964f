#include "trace/analysis/drawing.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "trace/analysis/analysis.hpp"
#include "trace/analysis/op_class.hpp"
#include "trace/analysis/summary.hpp"
#include "trace/analysis/sums.hpp"
#include "trace/events/events.hpp"
#include "trace/figures.hpp"

namespace assay::trace {
namespace {

/// Labels of a timeline, each text once.
class Labels {
 public:
  explicit Labels(Timeline& timeline) : timeline_(timeline) {}

  std::uint32_t add(std::string text, std::string_view group) {
    const auto [found, added] =
        ids_.try_emplace(text, static_cast<std::uint32_t>(timeline_.labels.size()));
    if (added) timeline_.labels.push_back({.text = std::move(text), .group = std::string(group)});
    return found->second;
  }

 private:
  Timeline& timeline_;
  std::map<std::string, std::uint32_t> ids_;
};

std::string queue_name(const Queue& queue, std::string_view what) {
  return fmt::format("GPU {} stream {}{}", queue.device, queue.stream, what);
}

void add_kernels(Analysis& analysis, Labels& labels, Timeline& timeline) {
  const Trace& trace = analysis.trace();
  std::vector<std::uint32_t> label_of;
  label_of.reserve(trace.functions.size());
  for (std::uint32_t function = 0; function < trace.functions.size(); ++function) {
    label_of.push_back(labels.add(std::string(trace.function_name(function)),
                                  to_string(analysis.classes()[function].op)));
  }
  std::vector<TimelineLane> lanes(trace.queues.size());
  for (std::size_t row = 0; row < trace.kernels.size(); ++row) {
    lanes[trace.kernels.queue[row]].spans.push_back(
        {.start_ns = trace.kernels.start[row],
         .end_ns = trace.kernels.end[row],
         .label = label_of[trace.kernels.function[row]]});
  }
  std::vector<std::size_t> order(lanes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t queue) {
    return std::pair(trace.queues[queue].device, trace.queues[queue].stream);
  });
  for (const std::size_t queue : order) {
    if (lanes[queue].spans.empty()) continue;
    lanes[queue].name = queue_name(trace.queues[queue], "");
    timeline.lanes.push_back(std::move(lanes[queue]));
  }
}

void add_copies(const Trace& trace, Labels& labels, Timeline& timeline) {
  std::map<std::int64_t, TimelineLane> lanes;  // by device
  for (std::size_t row = 0; row < trace.copies.size(); ++row) {
    const std::int64_t device = trace.queues[trace.copies.queue[row]].device;
    lanes[device].spans.push_back(
        {.start_ns = trace.copies.start[row],
         .end_ns = trace.copies.end[row],
         .label = labels.add(std::string(to_string(trace.copies.kind[row])), "copy")});
  }
  for (auto& [device, lane] : lanes) {
    lane.name = fmt::format("GPU {} copies", device);
    timeline.lanes.push_back(std::move(lane));
  }
}

void add_graphs(const Trace& trace, Labels& labels, Timeline& timeline) {
  TimelineLane lane{.name = "CUDA graphs"};
  for (std::size_t row = 0; row < trace.graphs.size(); ++row) {
    lane.spans.push_back(
        {.start_ns = trace.graphs.start[row],
         .end_ns = trace.graphs.end[row],
         .label = labels.add(fmt::format("graph {}", trace.graphs.graph[row]), "other")});
  }
  if (!lane.spans.empty()) timeline.lanes.push_back(std::move(lane));
}

/// The author's ranges, a lane per thread and depth; a framework's are too many to read.
void add_ranges(const Trace& trace, Labels& labels, Timeline& timeline) {
  constexpr std::size_t kDepth = 4;
  struct Lane {
    TimelineLane lane;
    std::int64_t until = 0;
  };
  std::map<std::uint32_t, std::vector<Lane>> threads;
  for (std::size_t row = 0; row < trace.ranges.size(); ++row) {
    if ((trace.ranges.flags[row] & range_automatic) != 0) continue;
    std::vector<Lane>& lanes = threads[trace.ranges.thread[row]];
    std::size_t depth = 0;
    while (depth < lanes.size() && lanes[depth].until > trace.ranges.start[row]) ++depth;
    if (depth >= kDepth) continue;
    if (depth == lanes.size()) lanes.emplace_back();
    lanes[depth].until = trace.ranges.end[row];
    lanes[depth].lane.spans.push_back(
        {.start_ns = trace.ranges.start[row],
         .end_ns = trace.ranges.end[row],
         .label = labels.add(std::string(trace.strings.view(trace.ranges.name[row])), "range")});
  }
  for (auto& [thread, lanes] : threads) {
    for (std::size_t depth = 0; depth < lanes.size(); ++depth) {
      lanes[depth].lane.name =
          fmt::format("Thread {} ranges {}", trace.threads[thread].tid, depth + 1);
      timeline.lanes.push_back(std::move(lanes[depth].lane));
    }
  }
}

}  // namespace

Figures draw(Analysis& analysis) {
  const Trace& trace = analysis.trace();
  Timeline timeline;
  Labels labels(timeline);
  add_ranges(trace, labels, timeline);
  add_kernels(analysis, labels, timeline);
  add_copies(trace, labels, timeline);
  add_graphs(trace, labels, timeline);

  Breakdown breakdown{.title = "Kernel time by class and kernel", .unit = "ns"};
  for (const NamedSummary& kernel : analysis.kernel_sums(KernelNaming::demangled)) {
    breakdown.slices.push_back(
        {.label = kernel.name,
         .group = std::string(to_string(analysis.classifier().classify(kernel.name).op)),
         .value = static_cast<double>(kernel.summary.total)});
  }
  Figures figures;
  if (!timeline.lanes.empty()) figures.timeline = std::move(timeline);
  if (!breakdown.slices.empty()) figures.breakdown = std::move(breakdown);
  return figures;
}

}  // namespace assay::trace
