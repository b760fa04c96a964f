#include "trace/analysis/projection.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "trace/analysis/attribution.hpp"
#include "trace/events/events.hpp"
#include "trace/events/nsys_fixture.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

TEST(Projection, lasts_from_the_first_work_to_the_end_of_the_last) {
  NsysFixture fixture;
  fixture.range({.start = 0, .end = 50, .name = "r"});
  fixture.launch(
      {.call_start = 1, .call_end = 2, .start = 100, .end = 150, .name = "a", .stream = 1});
  fixture.launch(
      {.call_start = 3, .call_end = 4, .start = 120, .end = 130, .name = "b", .stream = 2});
  fixture.call({.start = 5, .end = 6, .name = "cudaMemcpyAsync_v3020", .correlation = 3});
  fixture.copy({.start = 200, .end = 210, .bytes = 8, .correlation = 3});
  const Trace trace = read_fixture(fixture);
  const auto projected = project(trace, attribute(trace), RangeRule::same_thread);
  ASSERT_EQ(projected.size(), 1U);
  EXPECT_EQ(projected[0].start, 100);
  EXPECT_EQ(projected[0].end, 210);
  EXPECT_EQ(projected[0].busy, 60);
  EXPECT_EQ(projected[0].work, 3U);
  EXPECT_EQ(projected[0].kernels, 2U);
  EXPECT_EQ(projected[0].kernel_time, 60);
}

TEST(Projection, of_a_range_inside_another_is_inside_it) {
  NsysFixture fixture;
  fixture.range({.start = 0, .end = 50, .name = "outer"});
  fixture.range({.start = 10, .end = 20, .name = "inner"});
  for (int i = 0; i < 4; ++i) {
    fixture.launch({.call_start = i * 10 + 2,
                    .call_end = i * 10 + 3,
                    .start = 100 + i * 20,
                    .end = 110 + i * 20,
                    .name = "k"});
  }
  const Trace trace = read_fixture(fixture);
  const auto projected = project(trace, attribute(trace), RangeRule::both);
  EXPECT_LE(projected[0].start, projected[1].start);
  EXPECT_GE(projected[0].end, projected[1].end);
  EXPECT_GE(projected[0].busy, projected[1].busy);
}

TEST(Projection, shows_both_rules_where_they_differ) {
  NsysFixture fixture;
  fixture.range({.start = 0, .end = 50, .name = "Backward"});
  fixture.launch({.call_start = 1, .call_end = 2, .start = 100, .end = 150, .name = "a"});
  fixture.launch(
      {.call_start = 3, .call_end = 4, .start = 160, .end = 200, .name = "b", .tid = 101});
  const Trace trace = read_fixture(fixture);
  const Table table = projection_table(trace, attribute(trace));
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(*table.find(0, "rule"), Cell("both"));
  EXPECT_EQ(*table.find(0, "projected_total_ns"), Cell(100));
  EXPECT_EQ(*table.find(1, "rule"), Cell("same_thread"));
  EXPECT_EQ(*table.find(1, "projected_total_ns"), Cell(50));
}

TEST(Projection, of_a_range_that_launched_nothing_is_left_out) {
  NsysFixture fixture;
  fixture.range({.start = 0, .end = 50, .name = "quiet"});
  const Trace trace = read_fixture(fixture);
  EXPECT_TRUE(projection_table(trace, attribute(trace)).rows.empty());
}

TEST(ProjectionTable, counts_a_range_inside_another_of_its_name_once) {
  NsysFixture fixture;
  fixture.range({.start = 0, .end = 50, .name = "layer"});
  fixture.range({.start = 5, .end = 40, .name = "layer"});
  fixture.launch({.call_start = 10, .call_end = 11, .start = 100, .end = 130, .name = "k"});
  const Trace trace = read_fixture(fixture);
  const Table table = projection_table(trace, attribute(trace));
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(*table.find(0, "projected_total_ns"), Cell(30));
  EXPECT_EQ(*table.find(0, "count"), Cell(1));
  EXPECT_EQ(*table.find(0, "gpu_work"), Cell(1));
}

}  // namespace
}  // namespace assay::trace
