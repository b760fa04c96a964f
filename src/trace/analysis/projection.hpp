#pragma once

#include <cstdint>
#include <vector>

#include "trace/analysis/attribution.hpp"
#include "trace/events/events.hpp"
#include "trace/table.hpp"

namespace assay::trace {

/// A range as the GPUs saw it: from the start of the first piece of work launched in it to the
/// end of the last.
struct Projected {
  std::uint64_t work = 0;  // kernels, copies, sets and graphs
  std::uint64_t kernels = 0;
  std::int64_t start = 0;
  std::int64_t end = 0;
  std::int64_t busy = 0;         // some GPU executed some of it; overlaps counted once
  std::int64_t kernel_time = 0;  // sum over its kernels
  std::uint64_t graphs = 0;      // traced whole
  std::int64_t graph_time = 0;   // sum over those

  [[nodiscard]] std::int64_t duration() const { return end - start; }
};

/// One per range, in the order of Trace::ranges; `work` is 0 where a range launched nothing.
[[nodiscard]] std::vector<Projected> project(const Trace& trace, const Attribution& attribution,
                                             RangeRule rule);

/// `range_projection`: by range name, by the first rule. If the second rule adds anything, there
/// are rows by both rules too.
[[nodiscard]] Table projection_table(const Trace& trace, const Attribution& attribution);

/// How long the GPUs took for each of these ranges, from first to last.
[[nodiscard]] std::vector<std::int64_t> projected_times(const std::vector<Projected>& projected,
                                                        const std::vector<std::uint32_t>& rows);

}  // namespace assay::trace
