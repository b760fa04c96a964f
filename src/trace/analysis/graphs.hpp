#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/analysis/attribution.hpp"
#include "trace/events/events.hpp"
#include "trace/table.hpp"

namespace assay::trace {

/// Launches of one CUDA graph. A graph traced whole is one piece of work per launch. A graph traced
/// by node is the kernels that share a launching call.
struct GraphSum {
  std::string graph;   // "graph 7"; by node, where the id is unknown, "nodes from 12"
  bool whole = false;  // traced as one piece of work
  std::uint64_t launches = 0;
  std::uint64_t kernels = 0;   // 0 where traced whole
  std::int64_t gpu_time = 0;   // whole: of the runs; by node: summed over kernels
  std::int64_t call_time = 0;  // of the launching calls, each counted once
};

/// How long CUDA graphs that were traced whole ran. What kernels they ran is not in the profile.
[[nodiscard]] std::int64_t whole_graph_time(const Trace& trace);
/// The same for those that the chosen ranges (a byte each) hold.
[[nodiscard]] std::int64_t whole_graph_time(const Trace& trace, const Attribution& attribution,
                                            std::span<const std::uint8_t> ranges, RangeRule rule);

/// How to have their kernels recorded, as a sentence.
inline constexpr std::string_view kRecordNodes =
    "Record with nsys profile --cuda-graph-trace=node to see kernels inside graphs.";

/// By falling GPU time.
[[nodiscard]] std::vector<GraphSum> graph_sums(const Trace& trace);
/// `graph_launches`
[[nodiscard]] Table graph_table(const std::vector<GraphSum>& sums);

}  // namespace assay::trace
