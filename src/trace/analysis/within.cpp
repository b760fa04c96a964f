#include "trace/analysis/within.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "trace/analysis/attribution.hpp"
#include "trace/analysis/range_select.hpp"
#include "trace/events/events.hpp"

namespace assay::trace {
namespace {

/// In order, with those that overlap made one.
std::vector<Window> merged(std::vector<Window> windows) {
  std::ranges::sort(windows, {}, &Window::start);
  std::vector<Window> out;
  for (const Window& window : windows) {
    if (!out.empty() && window.start <= out.back().end) {
      out.back().end = std::max(out.back().end, window.end);
    } else {
      out.push_back(window);
    }
  }
  return out;
}

/// Copies the named columns of the rows.
template <class Table, class... Columns>
Table rows_of(const Table& table, std::span<const std::uint32_t> rows, Columns... columns) {
  Table out;
  const auto copy = [&](auto column) {
    if ((table.*column).empty()) return;  // a column that the table does without
    (out.*column).reserve(rows.size());
    for (const std::uint32_t row : rows) (out.*column).push_back((table.*column)[row]);
  };
  (copy(columns), ...);
  return out;
}

class Cutter {
 public:
  Cutter(const Trace& trace, const std::vector<std::uint8_t>& chosen, RangeRule rule)
      : trace_(trace), new_call_(trace.calls.size(), kNone) {
    const Attribution placed = attribute(trace, CallsToPlace::all);
    const auto in_chosen = [&](std::span<const std::uint32_t> ranges) {
      return std::ranges::any_of(ranges, [&](std::uint32_t row) { return chosen[row] != 0; });
    };
    for (std::uint32_t call = 0; call < trace.calls.size(); ++call) {
      if (!in_chosen(placed.same_thread.of_call(call)) &&
          (rule == RangeRule::same_thread || !in_chosen(placed.other_thread.of_call(call)))) {
        continue;
      }
      new_call_[call] = static_cast<std::uint32_t>(calls_.size());
      calls_.push_back(call);
    }
  }

  [[nodiscard]] std::span<const std::uint32_t> calls() const { return calls_; }

  /// Rows of the work that the kept calls launched.
  [[nodiscard]] std::vector<std::uint32_t> launched(const Work& work) const {
    std::vector<std::uint32_t> rows;
    for (std::uint32_t row = 0; row < work.size(); ++row) {
      if (work.call[row] != kNone && new_call_[work.call[row]] != kNone) rows.push_back(row);
    }
    return rows;
  }

  template <class Table, class... Columns>
  [[nodiscard]] Table cut(const Table& table, Columns... columns) const {
    const auto rows = launched(table);
    Table out = rows_of(table, std::span(rows), &Table::start, &Table::end, &Table::queue,
                        &Table::call, columns...);
    for (std::uint32_t& call : out.call) call = new_call_[call];
    return out;
  }

 private:
  const Trace& trace_;
  std::vector<std::uint32_t> new_call_;  // kNone: left out
  std::vector<std::uint32_t> calls_;
};

/// The chosen ranges and those inside them: on their thread, or of a framework on another.
std::vector<std::uint32_t> ranges_inside(const Trace& trace,
                                         const std::vector<std::uint8_t>& chosen,
                                         const std::vector<std::uint32_t>& outer,
                                         const std::vector<Window>& windows) {
  std::vector<std::uint8_t> owns(trace.threads.size(), 0);
  for (const std::uint32_t row : outer) owns[trace.ranges.thread[row]] = 1;
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < trace.ranges.size(); ++row) {
    const std::uint32_t window = window_at(windows, trace.ranges.start[row]);
    const bool inside = window != kNone && trace.ranges.end[row] <= windows[window].end;
    const bool ours =
        owns[trace.ranges.thread[row]] != 0 || (trace.ranges.flags[row] & range_automatic) != 0;
    if (chosen[row] != 0 || (inside && ours)) rows.push_back(row);
  }
  return rows;
}

void copy_names(const Trace& trace, Trace& out) {
  for (std::uint32_t id = 0; id < trace.strings.size(); ++id) {
    out.strings.intern(trace.strings.view(id));  // in order, so ids stay what they were
  }
  out.capture = trace.capture;
  out.processes = trace.processes;
  out.threads = trace.threads;
  out.queues = trace.queues;
  out.functions = trace.functions;
  out.shapes = trace.shapes;
  out.diagnostics = trace.diagnostics;
}

}  // namespace

std::uint32_t window_at(const std::vector<Window>& windows, std::int64_t moment) {
  const auto after = std::ranges::upper_bound(windows, moment, {}, &Window::start);
  if (after == windows.begin() || std::prev(after)->end < moment) return kNone;
  return static_cast<std::uint32_t>(std::prev(after) - windows.begin());
}

Trace trace_within(const Trace& trace, const std::vector<std::uint8_t>& chosen, RangeRule rule) {
  Trace out;
  copy_names(trace, out);
  const std::vector<std::uint32_t> outer = outermost(trace, chosen);
  for (const std::uint32_t row : outer) {
    out.windows.push_back({.start = trace.ranges.start[row], .end = trace.ranges.end[row]});
  }
  out.windows = merged(std::move(out.windows));

  const Cutter cutter(trace, chosen, rule);
  out.calls = rows_of(trace.calls, cutter.calls(), &Calls::start, &Calls::end, &Calls::thread,
                      &Calls::name);
  out.kernels =
      cutter.cut(trace.kernels, &Kernels::function, &Kernels::shape, &Kernels::graph_node);
  out.copies = cutter.cut(trace.copies, &Copies::bytes, &Copies::kind);
  out.fills = cutter.cut(trace.fills, &Fills::bytes);
  out.graphs = cutter.cut(trace.graphs, &GraphRuns::graph, &GraphRuns::executable);
  const auto inside = ranges_inside(trace, chosen, outer, out.windows);
  out.ranges = rows_of(trace.ranges, std::span(inside), &Ranges::start, &Ranges::end, &Ranges::name,
                       &Ranges::thread, &Ranges::domain, &Ranges::style, &Ranges::flags);
  return out;
}

std::vector<std::vector<Window>> device_windows(const Trace& trace) {
  const std::vector<std::int64_t> devices = trace.devices();
  std::vector<std::vector<Window>> out(devices.size());
  if (trace.windows.empty()) return out;
  for (auto& windows : out) windows.resize(trace.windows.size(), {.start = 1, .end = 0});
  for (const Work* work : trace.work()) {
    for (std::size_t row = 0; row < work->size(); ++row) {
      const auto device = std::ranges::lower_bound(devices, trace.queues[work->queue[row]].device);
      const std::uint32_t at = window_at(trace.windows, trace.calls.start[work->call[row]]);
      Window& window = out[static_cast<std::size_t>(device - devices.begin())][at];
      const bool first = window.end < window.start;
      window.start = first ? work->start[row] : std::min(window.start, work->start[row]);
      window.end = first ? work->end[row] : std::max(window.end, work->end[row]);
    }
  }
  for (auto& windows : out) {
    std::erase_if(windows, [](const Window& window) { return window.end < window.start; });
    windows = merged(std::move(windows));
  }
  return out;
}

}  // namespace assay::trace
