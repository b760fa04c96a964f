#include "trace/analysis/graphs.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "trace/analysis/attribution.hpp"
#include "trace/analysis/summary.hpp"
#include "trace/events/events.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

std::int64_t call_time(const Trace& trace, std::uint32_t call) {
  return call == kNone ? 0 : trace.calls.duration(call);
}

/// The kernels that one call launched as a graph.
struct Replay {
  std::uint64_t first_node = 0;  // the least: the same for every replay of a graph
  std::uint64_t kernels = 0;
  std::int64_t gpu_time = 0;
};

void add_by_node(const Trace& trace, std::vector<GraphSum>& sums) {
  std::map<std::uint32_t, Replay> replays;  // by call
  for (std::size_t row = 0; row < trace.kernels.graph_node.size(); ++row) {
    const std::uint64_t node = trace.kernels.graph_node[row];
    if (node == 0 || trace.kernels.call[row] == kNone) continue;
    Replay& replay = replays[trace.kernels.call[row]];
    replay.first_node = replay.kernels == 0 ? node : std::min(replay.first_node, node);
    ++replay.kernels;
    replay.gpu_time += trace.kernels.duration(row);
  }
  std::map<std::uint64_t, GraphSum> by_node;
  for (const auto& [call, replay] : replays) {
    GraphSum& sum = by_node[replay.first_node];
    ++sum.launches;
    sum.kernels += replay.kernels;
    sum.gpu_time += replay.gpu_time;
    sum.call_time += call_time(trace, call);
  }
  for (auto& [node, sum] : by_node) {
    sum.graph = fmt::format("nodes from {}", node);
    sums.push_back(std::move(sum));
  }
}

void add_whole(const Trace& trace, std::vector<GraphSum>& sums) {
  std::map<std::uint64_t, GraphSum> by_graph;
  for (std::size_t row = 0; row < trace.graphs.size(); ++row) {
    GraphSum& sum = by_graph[trace.graphs.graph[row]];
    sum.whole = true;
    ++sum.launches;
    sum.gpu_time += trace.graphs.duration(row);
    sum.call_time += call_time(trace, trace.graphs.call[row]);
  }
  for (auto& [graph, sum] : by_graph) {
    sum.graph = fmt::format("graph {}", graph);
    sums.push_back(std::move(sum));
  }
}

}  // namespace

std::int64_t whole_graph_time(const Trace& trace) {
  std::int64_t total = 0;
  for (std::size_t row = 0; row < trace.graphs.size(); ++row) total += trace.graphs.duration(row);
  return total;
}

std::int64_t whole_graph_time(const Trace& trace, const Attribution& attribution,
                              std::span<const std::uint8_t> ranges, RangeRule rule) {
  const auto chosen = work_in(trace.graphs, attribution, ranges, rule);
  std::int64_t total = 0;
  for (std::size_t row = 0; row < chosen.size(); ++row) {
    if (chosen[row] != 0) total += trace.graphs.duration(row);
  }
  return total;
}

std::vector<GraphSum> graph_sums(const Trace& trace) {
  std::vector<GraphSum> sums;
  add_whole(trace, sums);
  add_by_node(trace, sums);
  std::ranges::stable_sort(
      sums, [](const GraphSum& a, const GraphSum& b) { return a.gpu_time > b.gpu_time; });
  return sums;
}

Table graph_table(const std::vector<GraphSum>& sums) {
  Table table{.name = "graph_launches",
              .title = "CUDA graph launches",
              .columns = {{"gpu_total_ns", "GPU time", ColumnType::duration},
                          {"launches", "Launches", ColumnType::integer},
                          {"gpu_average_ns", "Per launch", ColumnType::duration},
                          {"kernels_per_launch", "Kernels each", ColumnType::real},
                          {"call_total_ns", "Launch calls", ColumnType::duration},
                          {"call_average_ns", "Per call", ColumnType::duration},
                          {"traced", "Traced", ColumnType::text},
                          {"graph", "Graph", ColumnType::text}}};
  for (const GraphSum& sum : sums) {
    const auto launches = static_cast<double>(sum.launches);
    table.add_row(
        {sum.gpu_time, sum.launches, one_decimal(static_cast<double>(sum.gpu_time) / launches),
         sum.whole ? Cell() : Cell(one_decimal(static_cast<double>(sum.kernels) / launches)),
         sum.call_time, one_decimal(static_cast<double>(sum.call_time) / launches),
         sum.whole ? "whole" : "by node", sum.graph});
  }
  return table;
}

}  // namespace assay::trace
