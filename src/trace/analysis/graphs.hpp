#pragma once

#include <cstdint>
#include <string>
#include <vector>

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

/// By falling GPU time.
[[nodiscard]] std::vector<GraphSum> graph_sums(const Trace& trace);
/// `graph_launches`
[[nodiscard]] Table graph_table(const std::vector<GraphSum>& sums);

}  // namespace assay::trace
