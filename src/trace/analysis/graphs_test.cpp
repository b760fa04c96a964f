#include "trace/analysis/graphs.hpp"

#include <cstdint>

#include <gtest/gtest.h>

#include "trace/events/events.hpp"
#include "trace/events/nsys_fixture.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

TEST(GraphSums, of_graphs_traced_whole_are_by_graph) {
  NsysFixture fixture;
  for (std::uint32_t i = 1; i <= 3; ++i) {
    const std::int64_t start = std::int64_t{i} * 100;
    fixture.call(
        {.start = start, .end = start + 7, .name = "cudaGraphLaunch_v10000", .correlation = i});
    fixture.graph(start + 10, start + 60, 42, i);
  }
  const auto sums = graph_sums(read_fixture(fixture));
  ASSERT_EQ(sums.size(), 1U);
  EXPECT_TRUE(sums[0].whole);
  EXPECT_EQ(sums[0].launches, 3U);
  EXPECT_EQ(sums[0].gpu_time, 150);
  EXPECT_EQ(sums[0].call_time, 21);
}

TEST(GraphSums, of_graphs_traced_by_node_are_by_their_first_node) {
  NsysFixture fixture;
  for (std::uint32_t i = 1; i <= 2; ++i) {
    const std::int64_t call = std::int64_t{i} * 100;
    fixture.call(
        {.start = call, .end = call + 7, .name = "cudaGraphLaunch_v10000", .correlation = i});
    for (std::uint64_t node = 5; node < 8; ++node) {
      const std::int64_t start = call + static_cast<std::int64_t>(node) * 10;
      fixture.kernel(
          {.start = start, .end = start + 5, .name = "k", .correlation = i, .graph_node = node});
    }
  }
  fixture.kernel({.start = 900, .end = 910, .name = "k"});
  const auto sums = graph_sums(read_fixture(fixture));
  ASSERT_EQ(sums.size(), 1U);
  EXPECT_EQ(sums[0].graph, "nodes from 5");
  EXPECT_EQ(sums[0].launches, 2U);
  EXPECT_EQ(sums[0].kernels, 6U);
  EXPECT_EQ(sums[0].call_time, 14) << "a launch's call counts once, not once per kernel";
  EXPECT_EQ(*graph_table(sums).find(0, "kernels_per_launch"), Cell(3.0));
}

TEST(GraphSums, of_a_program_without_graphs_are_none) {
  NsysFixture fixture;
  fixture.kernel({.start = 0, .end = 5, .name = "k"});
  EXPECT_TRUE(graph_sums(read_fixture(fixture)).empty());
}

}  // namespace
}  // namespace assay::trace
