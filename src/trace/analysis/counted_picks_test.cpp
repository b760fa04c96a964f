#include "trace/analysis/counted_picks.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "trace/analysis/pick_kernels.hpp"
#include "trace/ncu/merge.hpp"
#include "trace/ncu/report.hpp"
#include "trace/ncu/sample_report.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

NcuReport only(std::size_t launch) {
  NcuReport report = testing::sample_report();
  report.launches = {report.launches.at(launch)};
  return report;
}

KernelPick pick_of(const NcuReport& report, std::size_t rank) {
  const NcuLaunch& launch = report.launches.front();
  KernelPick pick{.rank = rank, .grid_rank = 1, .name = launch.name, .time_pct = 40, .count = 12};
  for (std::size_t i = 0; i < 3; ++i) {
    pick.shape.grid[i] = static_cast<std::uint32_t>(launch.grid.value()[i]);
  }
  return pick;
}

TEST(CountedPicks, set_a_kernels_share_of_the_time_beside_what_was_counted) {
  Report report;
  report.tables.push_back({.name = "of_the_timeline"});
  add_counted({{.pick = pick_of(only(0), 1), .report = only(0)},
               {.pick = pick_of(only(1), 2), .report = only(1)}},
              report);
  const Table& table = report.tables.front();
  ASSERT_EQ(table.name, "counted_kernels");
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(*table.find(0, "bound"), Cell("compute"));
  EXPECT_EQ(*table.find(1, "bound"), Cell("memory"));
  EXPECT_EQ(*table.find(0, "time_pct"), Cell(40.0));
  EXPECT_EQ(*table.find(0, "remark"), Cell(""));
  EXPECT_GT(table.find(0, "flop_per_s")->number().value(), 1e14);
  EXPECT_NE(report.find_table("of_the_timeline"), nullptr);
  ASSERT_EQ(report.figures.rooflines.size(), 1U) << "one GPU, one roofline";
  EXPECT_GE(report.figures.rooflines[0].points.size(), 2U);
}

TEST(CountedPicks, say_where_ncu_caught_something_else_or_nothing) {
  Report report;
  KernelPick other_grid = pick_of(only(0), 1);
  other_grid.shape.grid[0] += 1;
  KernelPick other_name = pick_of(only(0), 2);
  other_name.name = "nothing_like_it";
  NcuReport empty = only(0);
  empty.launches.clear();
  add_counted({{.pick = other_grid, .report = only(0)},
               {.pick = other_name, .report = only(0)},
               {.pick = pick_of(only(1), 3), .report = empty},
               {.pick = pick_of(only(1), 4), .failure = "the program failed under ncu"}},
              report);
  const Table& table = report.tables.front();
  const auto remark = [&](std::size_t row) {
    return std::get<std::string>(table.find(row, "remark")->value());
  };
  EXPECT_NE(remark(0).find("grid"), std::string::npos) << remark(0);
  EXPECT_NE(remark(1).find("instead"), std::string::npos) << remark(1);
  EXPECT_EQ(remark(2), "ncu profiled no launch");
  EXPECT_EQ(remark(3), "the program failed under ncu");
  EXPECT_TRUE(table.find(3, "bound")->absent());
  std::size_t warnings = 0;
  for (const Finding& finding : report.findings) warnings += finding.name == "not_counted_as_meant";
  EXPECT_EQ(warnings, 4U);
}

TEST(MergedReports, keep_each_launch_with_its_sections) {
  NcuReport second = only(1);
  second.sections.insert(second.sections.begin(), {.id = "Extra", .name = "Extra"});
  for (std::size_t& section : second.launches[0].sections) ++section;
  second.launches[0].sections.push_back(0);
  const NcuReport merged = merge_reports({only(0), second});
  ASSERT_EQ(merged.launches.size(), 2U);
  EXPECT_EQ(merged.launches[1].id, 1U);
  EXPECT_EQ(merged.sections.at(merged.launches[1].sections.back()).id, "Extra");
  EXPECT_TRUE(merge_reports({}).launches.empty());
}

}  // namespace
}  // namespace assay::trace
