#include "trace/ncu/compare.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "trace/ncu/report.hpp"
#include "trace/ncu/sample_report.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

using testing::sample_report;

NcuLaunch named(const char* name, const char* function, std::uint64_t grid) {
  return {.name = name, .function = function, .grid = {{grid, 1, 1}}};
}

TEST(MatchLaunches, prefers_the_same_shape_then_the_name_then_the_function) {
  NcuReport before;
  before.launches = {named("f<1>", "f", 1), named("g", "g", 1), named("f<1>", "f", 2),
                     named("gone", "gone", 1)};
  NcuReport after;
  after.launches = {named("f<1>", "f", 2), named("f<2>", "f", 1), named("new", "new", 1),
                    named("g", "g", 9)};
  const auto pairs = match_launches(before, after);
  ASSERT_EQ(pairs.size(), 5U);
  EXPECT_EQ(pairs[0].before, 2U);
  EXPECT_EQ(pairs[1].before, 0U);
  EXPECT_EQ(pairs[2].before, std::nullopt);
  EXPECT_EQ(pairs[3].before, 1U);
  EXPECT_EQ(pairs[4].before, 3U);
  EXPECT_EQ(pairs[4].after, std::nullopt);
}

TEST(CompareNcu, says_what_got_faster_slower_new_and_gone) {
  const NcuReport before = sample_report();
  NcuReport after = sample_report();
  for (NcuMetric& metric : after.launches[0].metrics) {
    if (metric.name == "gpu__time_duration.sum") metric.value = 100000.0;
  }
  after.launches[1].name = "other";
  after.launches[1].function = "other";
  const Report report = compare_ncu(before, after, "c").value();
  const Table& table = *report.find_table("comparison");
  ASSERT_EQ(table.rows.size(), 3U);
  EXPECT_EQ(*table.find(0, "status"), Cell("faster"));
  EXPECT_EQ(*table.find(0, "change_pct"), Cell(-50.0));
  EXPECT_EQ(*table.find(1, "status"), Cell("new"));
  EXPECT_EQ(*table.find(2, "status"), Cell("gone"));
  EXPECT_EQ(report.facts[2].name, "launch_change_pct");
  EXPECT_EQ(report.facts[2].value, Cell(-50.0)) << "of the kernel that both have";
  EXPECT_EQ(report.findings.at(0).name, "kernel_time");
}

TEST(CompareNcu, holds_a_launch_against_a_launch_however_many_there_are) {
  NcuReport before = sample_report();
  before.launches.resize(1);
  NcuReport after = before;
  for (NcuMetric& metric : after.launches[0].metrics) {
    if (metric.name == "gpu__time_duration.sum") metric.value = 150000.0;
  }
  after.launches.push_back(after.launches[0]);
  const Report report = compare_ncu(before, after, "c").value();
  EXPECT_EQ(report.facts[2].value, Cell(-25.0));
  const Table& kernels = *report.find_table("kernels");
  ASSERT_EQ(kernels.rows.size(), 1U);
  EXPECT_EQ(*kernels.find(0, "after_count"), Cell(2));
  EXPECT_EQ(*report.find_table("comparison")->find(1, "status"), Cell("unpaired"));
}

TEST(CompareNcu, warns_where_reports_are_hard_to_compare) {
  const NcuReport before = sample_report();
  NcuReport after = sample_report();
  after.session.versions[0].version = "2026.1";
  for (NcuLaunch& launch : after.launches) {
    for (NcuMetric& metric : launch.metrics) {
      if (metric.name == "device__attribute_display_name") metric.value = "NVIDIA H100";
      if (metric.name == "sm__cycles_elapsed.avg.per_second") metric.value = 1.0e9;
    }
  }
  const Report report = compare_ncu(before, after, "c").value();
  ASSERT_EQ(report.findings.size(), 4U);
  EXPECT_EQ(report.findings[1].name, "device_differs");
  EXPECT_EQ(report.findings[2].name, "tool_version_differs");
  EXPECT_EQ(report.findings[3].name, "clock_differs");
}

TEST(CompareNcu, takes_no_noise_for_a_change_and_nothing_recorded_for_another_device) {
  const NcuReport before = sample_report();
  NcuReport after = sample_report();
  after.session.devices.clear();
  for (NcuLaunch& launch : after.launches) {
    for (NcuMetric& metric : launch.metrics) {
      if (metric.name == "gpu__time_duration.sum") metric.value = *metric.value.number() * 1.001;
      if (metric.name == "device__attribute_display_name") metric.value = "";
    }
  }
  const Report report = compare_ncu(before, after, "c").value();
  for (const char* name : {"comparison", "kernels"}) {
    const Table& table = *report.find_table(name);
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
      EXPECT_EQ(*table.find(row, "status"), Cell("same"));
    }
  }
  for (const Finding& finding : report.findings) EXPECT_NE(finding.name, "device_differs");
}

TEST(CompareNcu, compares_any_metric_by_name) {
  const NcuReport before = sample_report();
  const Report report =
      compare_ncu(before, before, "c", {.metrics = {"dram__bytes_read.sum"}}).value();
  const Table& table = *report.find_table("metrics");
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(*table.find(0, "change_pct"), Cell(0.0));
  EXPECT_EQ(compare_ncu(before, before, "c", {.metrics = {"nope"}}).error().code(),
            ErrorCode::not_found);
}

TEST(NcuLaunchTimesOf, two_reports_say_how_much_of_each_both_have) {
  const NcuReport before = sample_report();
  NcuReport after = sample_report();
  after.launches[0].name = "other";
  after.launches[0].function = "other";
  const auto times = ncu_launch_times(before, after, {}).value();
  ASSERT_TRUE(times.has_value());
  EXPECT_EQ(times->before_shared_pct, 20) << "50 of 250 us";
  EXPECT_EQ(times->after_shared_pct, 20);
  EXPECT_EQ(ncu_launch_times(before, before, {}).value()->after_shared_pct, 100);
}

}  // namespace
}  // namespace assay::trace
