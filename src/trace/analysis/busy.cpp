#include "trace/analysis/busy.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <string>
#include <vector>

#include "trace/analysis/api_class.hpp"
#include "trace/analysis/summary.hpp"
#include "trace/analysis/within.hpp"
#include "trace/analysis/work_order.hpp"
#include "trace/events/events.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

constexpr std::size_t kConcurrencyLevels = 9;  // 0 to 7, and 8 or more

/// Counts kernels in flight, given in order of start.
class InFlight {
 public:
  void add(std::int64_t start, std::int64_t end) {
    while (!ends_.empty() && ends_.top() <= start) {
      settle(ends_.top());
      ends_.pop();
    }
    settle(start);
    ends_.push(end);
    peak_ = std::max(peak_, ends_.size());
  }

  void finish() {
    while (!ends_.empty()) {
      settle(ends_.top());
      ends_.pop();
    }
  }

  [[nodiscard]] const std::vector<std::int64_t>& levels() const { return levels_; }
  [[nodiscard]] std::size_t peak() const { return peak_; }

 private:
  void settle(std::int64_t until) {
    if (any_) levels_[std::min(ends_.size(), levels_.size() - 1)] += until - since_;
    since_ = until;
    any_ = true;
  }

  std::priority_queue<std::int64_t, std::vector<std::int64_t>, std::greater<>> ends_;
  std::vector<std::int64_t> levels_ = std::vector<std::int64_t>(kConcurrencyLevels, 0);
  std::int64_t since_ = 0;
  std::size_t peak_ = 0;
  bool any_ = false;
};

struct DeviceSweep {
  Union kernels;
  Union memory;
  Union graphs;
  Union compute;  // kernels and graphs
  Union all;
  InFlight in_flight;
};

/// Time outside the windows of a part of a profile is not the device's to be idle in.
void leave_out_between(const std::vector<Window>& windows, DeviceBusy& device) {
  device.span = 0;
  for (const Window& window : windows) device.span += window.end - window.start;
  device.at_concurrency[0] = device.span - device.kernel_busy;
}

}  // namespace

std::vector<DeviceBusy> device_busy(const Trace& trace) {
  const std::vector<std::int64_t> ids = trace.devices();
  std::vector<DeviceBusy> devices(ids.size());
  std::vector<DeviceSweep> sweeps(ids.size());
  std::vector<std::size_t> device_of;  // per queue
  device_of.reserve(trace.queues.size());
  for (const Queue& queue : trace.queues) {
    device_of.push_back(static_cast<std::size_t>(
        std::lower_bound(ids.begin(), ids.end(), queue.device) - ids.begin()));
  }

  for_each_work(trace, [&](WorkRow at, const Work& work) {
    const std::size_t device = device_of[work.queue[at.row]];
    const std::int64_t start = work.start[at.row];
    const std::int64_t end = work.end[at.row];
    DeviceSweep& sweep = sweeps[device];
    sweep.all.add(start, end);
    if (at.kind == WorkKind::kernel) {
      ++devices[device].kernels;
      devices[device].kernel_sum += end - start;
      sweep.kernels.add(start, end);
      sweep.compute.add(start, end);
      sweep.in_flight.add(start, end);
    } else if (at.kind == WorkKind::graph) {
      sweep.graphs.add(start, end);
      sweep.compute.add(start, end);
    } else {
      sweep.memory.add(start, end);
    }
  });

  for (std::size_t i = 0; i < devices.size(); ++i) {
    DeviceSweep& sweep = sweeps[i];
    sweep.in_flight.finish();
    DeviceBusy& device = devices[i];
    device.device = ids[i];
    device.kernel_busy = sweep.kernels.covered();
    device.memory_busy = sweep.memory.covered();
    device.graph_busy = sweep.graphs.covered();
    device.busy = sweep.all.covered();
    device.span = sweep.all.span();
    device.kernel_memory_overlap =
        sweep.compute.covered() + sweep.memory.covered() - sweep.all.covered();
    device.at_concurrency = sweep.in_flight.levels();
    device.peak_concurrency = sweep.in_flight.peak();
  }
  if (!trace.windows.empty()) {
    const auto windows = device_windows(trace);
    for (std::size_t i = 0; i < devices.size(); ++i) leave_out_between(windows[i], devices[i]);
  }
  return devices;
}

std::uint64_t launches_not_recorded(const Trace& trace) {
  if (!trace.kernels.empty() || !trace.graphs.empty()) return 0;
  const std::vector<ApiClass> classes = api_classes(trace);
  std::uint64_t count = 0;
  for (const std::uint32_t name : trace.calls.name) {
    const ApiClass api = classes[name];
    if (api == ApiClass::launch || api == ApiClass::graph_launch) ++count;
  }
  return count;
}

Table busy_table(const std::vector<DeviceBusy>& devices) {
  Table table{
      .name = "device_busy",
      .title = "How each GPU spent its time",
      .columns = {{"device", "GPU", ColumnType::integer},
                  {"span_ns", "First to last work", ColumnType::duration},
                  {"busy_ns", "Busy", ColumnType::duration},
                  {"busy_pct", "Busy", ColumnType::percent},
                  {"idle_ns", "Idle", ColumnType::duration},
                  {"kernel_busy_ns", "Kernels", ColumnType::duration},
                  {"kernel_sum_ns", "Kernels, summed", ColumnType::duration},
                  {"kernels", "Kernels", ColumnType::integer},
                  {"memory_busy_ns", "Copies and sets", ColumnType::duration},
                  {"graph_busy_ns", "Whole graphs", ColumnType::duration},
                  {"kernel_memory_overlap_ns", "Copies beside kernels", ColumnType::duration}}};
  for (const DeviceBusy& device : devices) {
    table.add_row({device.device, device.span, device.busy,
                   share_pct(static_cast<double>(device.busy), static_cast<double>(device.span)),
                   device.idle(), device.kernel_busy, device.kernel_sum, device.kernels,
                   device.memory_busy, device.graph_busy, device.kernel_memory_overlap});
  }
  return table;
}

Table concurrency_table(const std::vector<DeviceBusy>& devices) {
  Table table{.name = "concurrency",
              .title = "Kernels running at once",
              .columns = {{"device", "GPU", ColumnType::integer},
                          {"kernels_at_once", "At once", ColumnType::text},
                          {"time_ns", "Time", ColumnType::duration},
                          {"time_pct", "Of the span", ColumnType::percent},
                          {"peak", "Most at once", ColumnType::integer}}};
  for (const DeviceBusy& device : devices) {
    std::int64_t whole = 0;
    for (const std::int64_t time : device.at_concurrency) whole += time;
    for (std::size_t level = 0; level < device.at_concurrency.size(); ++level) {
      const std::int64_t time = device.at_concurrency[level];
      if (time == 0) continue;
      const bool last = level + 1 == device.at_concurrency.size();
      table.add_row({device.device, std::to_string(level) + (last ? " or more" : ""), time,
                     share_pct(static_cast<double>(time), static_cast<double>(whole)),
                     device.peak_concurrency});
    }
  }
  return table;
}

}  // namespace assay::trace
