#include "trace/events/assemble.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "trace/events/events.hpp"

namespace assay::trace {
namespace {

struct Order {
  std::int64_t start;
  std::int64_t end;
  std::uint32_t row;
  // Of two ranges that start together the longer is the outer one.
  friend bool operator<(const Order& a, const Order& b) {
    if (a.start != b.start) return a.start < b.start;
    if (a.end != b.end) return a.end > b.end;
    return a.row < b.row;
  }
};

template <class T>
void permute(std::vector<T>& column, const std::vector<Order>& order) {
  if (column.empty()) return;
  std::vector<T> sorted;
  sorted.reserve(column.size());
  for (const Order& entry : order) sorted.push_back(column[entry.row]);
  column = std::move(sorted);
}

bool in_order(const Spans& spans) {
  for (std::size_t row = 1; row < spans.size(); ++row) {
    if (spans.start[row] < spans.start[row - 1]) return false;
    if (spans.start[row] == spans.start[row - 1] && spans.end[row] > spans.end[row - 1]) {
      return false;
    }
  }
  return true;
}

template <class... Columns>
void sort_rows(Spans& spans, Columns&... others) {
  if (in_order(spans)) return;
  std::vector<Order> order(spans.size());
  for (std::size_t row = 0; row < order.size(); ++row) {
    order[row] = {
        .start = spans.start[row], .end = spans.end[row], .row = static_cast<std::uint32_t>(row)};
  }
  std::ranges::sort(order, std::less<>{});
  permute(spans.start, order);
  permute(spans.end, order);
  (permute(others, order), ...);
}

/// Rows of calls by process and correlation id.
class CallIndex {
 public:
  CallIndex(const Trace& trace, const std::vector<std::uint32_t>& correlation)
      : processes_(trace.processes.size()) {
    std::vector<Extent> extents(processes_.size());
    for (std::size_t row = 0; row < correlation.size(); ++row) {
      if (correlation[row] == 0) continue;
      extents[trace.threads[trace.calls.thread[row]].process].add(correlation[row]);
    }
    for (std::size_t p = 0; p < processes_.size(); ++p) processes_[p].reserve(extents[p]);
    for (std::size_t row = 0; row < correlation.size(); ++row) {
      if (correlation[row] == 0) continue;
      Rows& rows = processes_[trace.threads[trace.calls.thread[row]].process];
      rows.add(correlation[row], static_cast<std::uint32_t>(row), duplicates_);
    }
    for (Rows& rows : processes_) rows.finish(duplicates_);
    const auto with_calls = [](const Rows& rows) { return rows.used(); };
    if (std::ranges::count_if(processes_, with_calls) == 1) {
      only_ = static_cast<std::uint32_t>(std::ranges::find_if(processes_, with_calls) -
                                         processes_.begin());
    }
  }

  /// Work that names no process belongs to the only one there is, if there is only one.
  [[nodiscard]] std::uint32_t find(std::uint32_t process, std::uint32_t correlation) const {
    if (process == kNone) process = only_;
    if (process == kNone || correlation == 0) return kNone;
    return processes_[process].find(correlation);
  }

  [[nodiscard]] std::uint64_t duplicates() const { return duplicates_; }
  [[nodiscard]] std::uint32_t only_process() const { return only_; }

 private:
  struct Extent {
    std::uint32_t least = kNone;
    std::uint32_t greatest = 0;
    std::size_t count = 0;
    void add(std::uint32_t id) {
      least = std::min(least, id);
      greatest = std::max(greatest, id);
      ++count;
    }
  };

  class Rows {
   public:
    // Ids are handed out one by one, so an array over their extent is nearly always small; a
    // trimmed or hostile profile with scattered ids gets a sorted list.
    void reserve(const Extent& extent) {
      if (extent.count == 0) return;
      used_ = true;
      const std::size_t width = std::size_t{extent.greatest} - extent.least + 1;
      least_ = extent.least;
      if (width <= std::max<std::size_t>(1U << 20U, extent.count * 4)) {
        dense_.assign(width, kNone);
      } else {
        sparse_.reserve(extent.count);
      }
    }
    void add(std::uint32_t id, std::uint32_t row, std::uint64_t& duplicates) {
      if (dense_.empty()) {
        sparse_.emplace_back(id, row);
      } else if (dense_[id - least_] == kNone) {
        dense_[id - least_] = row;
      } else {
        ++duplicates;  // rows come in order of start: the earliest, outermost call stays
      }
    }
    void finish(std::uint64_t& duplicates) {
      std::ranges::sort(sparse_);
      const auto same_id = [](const auto& a, const auto& b) { return a.first == b.first; };
      const auto rest = std::ranges::unique(sparse_, same_id);
      duplicates += rest.size();
      sparse_.erase(rest.begin(), rest.end());
    }
    [[nodiscard]] std::uint32_t find(std::uint32_t id) const {
      if (!dense_.empty()) {
        return id >= least_ && id - least_ < dense_.size() ? dense_[id - least_] : kNone;
      }
      const auto found =
          std::lower_bound(sparse_.begin(), sparse_.end(), std::pair{id, std::uint32_t{0}});
      return found != sparse_.end() && found->first == id ? found->second : kNone;
    }
    [[nodiscard]] bool used() const { return used_; }

   private:
    bool used_ = false;
    std::uint32_t least_ = 0;
    std::vector<std::uint32_t> dense_;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> sparse_;
  };

  std::vector<Rows> processes_;
  std::uint32_t only_ = kNone;
  std::uint64_t duplicates_ = 0;
};

void link(Work& work, std::string_view what, const CallIndex& index, Trace& trace) {
  std::uint64_t lost = 0;
  for (std::size_t row = 0; row < work.size(); ++row) {
    work.call[row] = index.find(trace.queues[work.queue[row]].process, work.call[row]);
    if (work.call[row] == kNone) ++lost;
  }
  if (lost == 0 || trace.calls.empty()) return;
  trace.diagnostics.add(fmt::format("{}_without_api_row", what),
                        "the API call that launched them is not in the profile (trimmed, or "
                        "captured over a range): they belong to no NVTX range",
                        lost);
}

void close_ranges(Trace& trace) {
  const std::int64_t last = trace.extent()[1];
  std::uint64_t open = 0;
  for (std::size_t row = 0; row < trace.ranges.size(); ++row) {
    if ((trace.ranges.flags[row] & range_open) == 0) continue;
    trace.ranges.end[row] = std::max(last, trace.ranges.start[row]);
    ++open;
  }
  if (open == 0) return;
  trace.diagnostics.add("range_never_closed", "ended at the last moment of the profile", open);
}

void sort_work(Trace& trace) {
  sort_rows(trace.kernels, trace.kernels.queue, trace.kernels.call, trace.kernels.function,
            trace.kernels.shape, trace.kernels.graph_node);
  sort_rows(trace.copies, trace.copies.queue, trace.copies.call, trace.copies.bytes,
            trace.copies.kind);
  sort_rows(trace.fills, trace.fills.queue, trace.fills.call, trace.fills.bytes);
  sort_rows(trace.graphs, trace.graphs.queue, trace.graphs.call, trace.graphs.graph,
            trace.graphs.executable);
}

}  // namespace

Trace assemble(Assembly assembly) {
  Trace& trace = assembly.trace;
  // What GPUs executed and what the host called are far apart in memory: two threads sort them.
  std::jthread sorter([&] { sort_work(trace); });
  sort_rows(trace.calls, trace.calls.thread, trace.calls.name, assembly.call_correlation);
  const CallIndex index(trace, assembly.call_correlation);
  sorter.join();
  if (index.duplicates() > 0) {
    trace.diagnostics.add("api_correlation_repeated",
                          "several API rows carry one correlation id: the earliest is used",
                          index.duplicates());
  }
  link(trace.kernels, "kernels", index, trace);
  link(trace.copies, "copies", index, trace);
  link(trace.fills, "fills", index, trace);
  link(trace.graphs, "graphs", index, trace);
  for (Queue& queue : trace.queues) {
    if (queue.process == kNone) queue.process = index.only_process();
  }

  close_ranges(trace);
  sort_rows(trace.ranges, trace.ranges.name, trace.ranges.thread, trace.ranges.domain,
            trace.ranges.style, trace.ranges.flags);
  return std::move(trace);
}

}  // namespace assay::trace
