#include "trace/analysis/communication.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/analysis/op_class.hpp"
#include "trace/analysis/summary.hpp"
#include "trace/events/events.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

using Interval = std::pair<std::int64_t, std::int64_t>;

/// Disjoint intervals in order, built from spans in order of start.
class Cover {
 public:
  void add(std::int64_t start, std::int64_t end) {
    if (intervals_.empty() || start > intervals_.back().second) {
      intervals_.emplace_back(start, end);
    } else {
      intervals_.back().second = std::max(intervals_.back().second, end);
    }
  }

  /// How much of a span is covered.
  [[nodiscard]] std::int64_t within(std::int64_t start, std::int64_t end) const {
    auto at = std::upper_bound(intervals_.begin(), intervals_.end(), start,
                               [](std::int64_t t, const Interval& i) { return t < i.second; });
    std::int64_t covered = 0;
    for (; at != intervals_.end() && at->first < end; ++at) {
      covered += std::min(end, at->second) - std::max(start, at->first);
    }
    return covered;
  }

  [[nodiscard]] const std::vector<Interval>& intervals() const { return intervals_; }

 private:
  std::vector<Interval> intervals_;
};

struct DeviceKernels {
  Cover compute;
  Cover communication;
  std::vector<std::uint32_t> rows;  // communication kernels
};

/// Graphs that were traced whole count as computing: what they launched is not known, and most of
/// what graphs hold computes.
DeviceKernels kernels_of(const Trace& trace, const std::vector<Classified>& classes,
                         std::int64_t device) {
  DeviceKernels out;
  const Kernels& kernels = trace.kernels;
  std::uint32_t graph = 0;
  const auto add_graphs_until = [&](std::int64_t moment) {
    for (; graph < trace.graphs.size() && trace.graphs.start[graph] <= moment; ++graph) {
      if (trace.queues[trace.graphs.queue[graph]].device != device) continue;
      out.compute.add(trace.graphs.start[graph], trace.graphs.end[graph]);
    }
  };
  for (std::uint32_t row = 0; row < kernels.size(); ++row) {
    if (trace.queues[kernels.queue[row]].device != device) continue;
    add_graphs_until(kernels.start[row]);
    if (classes[kernels.function[row]].op == OpClass::communication) {
      out.communication.add(kernels.start[row], kernels.end[row]);
      out.rows.push_back(row);
    } else {
      out.compute.add(kernels.start[row], kernels.end[row]);
    }
  }
  add_graphs_until(std::numeric_limits<std::int64_t>::max());
  return out;
}

std::int64_t length(const Cover& cover) {
  std::int64_t total = 0;
  for (const auto& [start, end] : cover.intervals()) total += end - start;
  return total;
}

void add_collectives(const Trace& trace, std::int64_t device, const DeviceKernels& found,
                     std::vector<Collective>& out) {
  std::map<std::string, Collective> by_name;
  for (const std::uint32_t row : found.rows) {
    std::string name = collective_name(trace.function_name(trace.kernels.function[row]));
    Collective& collective = by_name[name];
    collective.device = device;
    collective.name = std::move(name);
    ++collective.count;
    collective.total += trace.kernels.duration(row);
    collective.hidden += found.compute.within(trace.kernels.start[row], trace.kernels.end[row]);
  }
  const std::size_t first = out.size();
  for (auto& [name, collective] : by_name) out.push_back(std::move(collective));
  std::stable_sort(out.begin() + static_cast<std::ptrdiff_t>(first), out.end(),
                   [](const auto& a, const auto& b) { return a.total > b.total; });
}

}  // namespace

std::string collective_name(std::string_view kernel_name) {
  constexpr std::array<std::string_view, 9> kOperations = {
      "AllReduce", "AllGather", "ReduceScatter", "Broadcast", "SendRecv",
      "AllToAll",  "Reduce",    "Gather",        "Scatter"};
  for (const std::string_view operation : kOperations) {
    if (kernel_name.find(operation) != std::string_view::npos) return std::string(operation);
  }
  return std::string(kernel_name.substr(0, kernel_name.find('(')));
}

Communication communication(const Trace& trace, const std::vector<Classified>& classes) {
  Communication out;
  for (const std::int64_t device : trace.devices()) {
    const DeviceKernels found = kernels_of(trace, classes, device);
    DeviceCommunication sums{.device = device,
                             .kernels = found.rows.size(),
                             .busy = length(found.communication),
                             .compute = length(found.compute)};
    for (const auto& [start, end] : found.communication.intervals()) {
      sums.overlap += found.compute.within(start, end);
    }
    out.devices.push_back(sums);
    add_collectives(trace, device, found, out.collectives);
  }
  return out;
}

Table communication_table(const Communication& found) {
  Table table{.name = "communication",
              .title = "Communication beside computation",
              .columns = {{"device", "GPU", ColumnType::integer},
                          {"kernels", "Kernels", ColumnType::integer},
                          {"busy_ns", "Communicating", ColumnType::duration},
                          {"compute_ns", "Computing", ColumnType::duration},
                          {"overlap_ns", "Both", ColumnType::duration},
                          {"overlap_pct", "Hidden", ColumnType::percent},
                          {"exposed_ns", "Exposed", ColumnType::duration}}};
  for (const DeviceCommunication& device : found.devices) {
    table.add_row({device.device, device.kernels, device.busy, device.compute, device.overlap,
                   share_pct(static_cast<double>(device.overlap), static_cast<double>(device.busy)),
                   device.exposed()});
  }
  return table;
}

Table collective_table(const Communication& found) {
  Table table{.name = "collectives",
              .title = "Collectives",
              .columns = {{"device", "GPU", ColumnType::integer},
                          {"count", "Count", ColumnType::integer},
                          {"total_ns", "Total time", ColumnType::duration},
                          {"average_ns", "Average", ColumnType::duration},
                          {"hidden_ns", "Beside kernels", ColumnType::duration},
                          {"hidden_pct", "Hidden", ColumnType::percent},
                          {"collective", "Collective", ColumnType::text}}};
  for (const Collective& one : found.collectives) {
    table.add_row(
        {one.device, one.count, one.total,
         one_decimal(static_cast<double>(one.total) / static_cast<double>(one.count)), one.hidden,
         share_pct(static_cast<double>(one.hidden), static_cast<double>(one.total)), one.name});
  }
  return table;
}

}  // namespace assay::trace
