#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "trace/events/events.hpp"

namespace assay::trace {

/// The tables of Trace::work, in its order.
enum class WorkKind : std::uint8_t { kernel, copy, fill, graph };

struct WorkRow {
  WorkKind kind = WorkKind::kernel;
  std::uint32_t row = 0;
};

/// Calls `use(work_row, table)` for everything GPUs executed, in order of start.
template <class Use>
void for_each_work(const Trace& trace, Use use) {
  const std::array<const Work*, 4> tables = trace.work();
  std::array<std::uint32_t, 4> next{};
  while (true) {
    std::size_t first = tables.size();
    std::int64_t start = std::numeric_limits<std::int64_t>::max();
    for (std::size_t i = 0; i < tables.size(); ++i) {
      if (next[i] < tables[i]->size() && tables[i]->start[next[i]] < start) {
        first = i;
        start = tables[i]->start[next[i]];
      }
    }
    if (first == tables.size()) return;
    use(WorkRow{.kind = static_cast<WorkKind>(first), .row = next[first]++}, *tables[first]);
  }
}

/// The time covered by spans that arrive in order of start, overlaps counted once.
class Union {
 public:
  void add(std::int64_t start, std::int64_t end) {
    if (!any_) {
      first_ = start;
      until_ = start;
      any_ = true;
    }
    if (end <= until_) return;
    covered_ += end - (start > until_ ? start : until_);
    until_ = end;
  }

  [[nodiscard]] std::int64_t covered() const { return covered_; }
  [[nodiscard]] bool any() const { return any_; }
  [[nodiscard]] std::int64_t first() const { return first_; }
  /// The latest end so far.
  [[nodiscard]] std::int64_t until() const { return until_; }
  /// From the first start to the latest end.
  [[nodiscard]] std::int64_t span() const { return until_ - first_; }

 private:
  std::int64_t covered_ = 0;
  std::int64_t first_ = 0;
  std::int64_t until_ = 0;
  bool any_ = false;
};

}  // namespace assay::trace
