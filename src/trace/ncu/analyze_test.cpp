#include "trace/ncu/analyze.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "trace/figures.hpp"
#include "trace/ncu/report.hpp"
#include "trace/ncu/sample_report.hpp"
#include "trace/ncu/tables.hpp"
#include "trace/render.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

using testing::sample_report;

TEST(NcuKernels, are_tabled_with_what_people_ask_first) {
  const Report report = analyze_ncu(sample_report(), "r").value();
  ASSERT_NE(report.find_table("kernels"), nullptr);
  Report only{.title = "r"};
  only.tables.push_back(*report.find_table("kernels"));
  EXPECT_EQ(render(only, Format::csv),
            "launch,kernel,duration_ns,compute_pct,memory_pct,bound,occupancy_pct,"
            "theoretical_occupancy_pct,occupancy_limiter,dram_bytes_per_s,tensor_flop_per_s,"
            "cuda_flop_per_s,flop_per_byte\r\n"
            "0,nvjet_sm90_tst_256x128,200000,90,45,compute,14.6,18.75,\"registers, shared memory\","
            "1000000000000,687194767360000,0,687.19476736\r\n"
            "1,void vectorized_elementwise_kernel<4>(int),50000,10,83,memory,,100,none,"
            "4000000000000,0,200000000000,0.05\r\n");
}

TEST(NcuRoofline, compares_with_the_peak_at_the_clock_of_the_launch) {
  const Table table = ncu_roofline_table(sample_report());
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(*table.find(0, "path"), Cell("bf16 wgmma"));
  EXPECT_EQ(*table.find(0, "peak_flop_per_s"), Cell(540672.0 * 1.5e9));
  EXPECT_NEAR(table.find(0, "of_peak_pct")->number().value_or(0), 84.73, 0.01);
  EXPECT_EQ(*table.find(0, "roof"), Cell("compute"));
  EXPECT_EQ(*table.find(1, "roof"), Cell("memory"));
  EXPECT_NEAR(table.find(1, "of_attainable_pct")->number().value_or(0), 83.11, 0.01);
}

TEST(NcuRoofline, is_drawn_per_device_with_a_ceiling_per_path) {
  const std::vector<Roofline> rooflines = ncu_rooflines(sample_report());
  ASSERT_EQ(rooflines.size(), 1U);
  EXPECT_EQ(rooflines[0].title, "NVIDIA H200");
  ASSERT_EQ(rooflines[0].ceilings.size(), 2U);
  EXPECT_EQ(rooflines[0].ceilings[0].name, "bf16 wgmma");
  EXPECT_EQ(rooflines[0].points.size(), 2U);
  EXPECT_DOUBLE_EQ(rooflines[0].bytes_per_second, 1504 * 3.2e9);
}

TEST(NcuRules, become_findings_with_their_evidence) {
  const auto findings = ncu_findings(sample_report(), false);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].kind, FindingKind::advice);
  EXPECT_EQ(findings[0].title, "Very High Utilization");
  EXPECT_EQ(findings[0].subject, "#0 nvjet_sm90_tst_256x128");
  ASSERT_EQ(findings[0].evidence.size(), 4U);
  EXPECT_EQ(findings[0].evidence[1].name, "estimated_speedup_pct");
  EXPECT_EQ(findings[0].evidence[2].name, "sm__pipe_tensor_cycles_active");
  EXPECT_EQ(findings[0].evidence[3].name, "sm__pipe_tensor_cycles_active_goal");
  EXPECT_EQ(ncu_findings(sample_report(), true).size(), 2U);
}

TEST(NcuRules, that_say_the_same_of_launches_of_one_kernel_are_told_once) {
  NcuReport report = sample_report();
  report.launches = {report.launches[0], report.launches[0], report.launches[0]};
  const auto findings = ncu_findings(report, true);
  ASSERT_EQ(findings.size(), 2U) << "two messages of one rule stay two";
  EXPECT_EQ(findings[0].evidence.back().value, Cell("2 other launches"));
}

TEST(NcuSection, is_shown_by_id_or_name_with_or_without_its_body) {
  const NcuReport report = sample_report();
  EXPECT_EQ(ncu_section_table(report, "SpeedOfLight", false).value().rows.size(), 4U);
  const Table whole = ncu_section_table(report, "GPU Speed Of Light Throughput", true).value();
  ASSERT_EQ(whole.rows.size(), 5U);
  EXPECT_EQ(*whole.find(0, "label"), Cell("Duration"));
  EXPECT_EQ(*whole.find(0, "unit"), Cell("ns"));
  const auto missing = ncu_section_table(report, "Nope", false);
  EXPECT_EQ(missing.error().code(), ErrorCode::not_found);
  EXPECT_NE(missing.error().message().find("SpeedOfLight"), std::string::npos);
}

TEST(NcuMetrics, are_shown_by_pattern) {
  const NcuReport report = sample_report();
  const std::vector<std::string> patterns = {"dram__bytes*.sum", "gpu__time_duration.sum"};
  const Table table = ncu_metric_table(report, patterns).value();
  ASSERT_EQ(table.rows.size(), 4U);
  EXPECT_EQ(*table.find(0, "metric"), Cell("dram__bytes_read.sum"));
  EXPECT_EQ(*table.find(2, "label"), Cell("Duration"));
  const std::vector<std::string> unknown = {"gpu__*", "no*such"};
  EXPECT_EQ(ncu_metric_table(report, unknown).error().code(), ErrorCode::not_found);
}

TEST(AnalyzeNcu, shows_only_what_was_asked_for) {
  const Report report =
      analyze_ncu(sample_report(), "r", {.sections = {"SpeedOfLight"}, .list_sections = true})
          .value();
  ASSERT_EQ(report.tables.size(), 2U);
  EXPECT_EQ(report.tables[0].name, "sections");
  EXPECT_EQ(report.tables[1].name, "SpeedOfLight");
  EXPECT_TRUE(report.findings.empty());
  EXPECT_FALSE(analyze_ncu(sample_report(), "r", {.metrics = {"nothing"}}));
}

TEST(AnalyzeNcu, of_a_report_without_counters_still_lists_its_launches) {
  NcuReport report;
  report.launches = {{.name = "k"}};
  report.diagnostics.add("line_outside_table", "x");
  const Report out = analyze_ncu(report, "r").value();
  EXPECT_EQ(out.find_table("kernels")->rows.size(), 1U);
  EXPECT_EQ(out.find_table("roofline"), nullptr);
  EXPECT_EQ(out.diagnostics.count("line_outside_table"), 1U);
  EXPECT_NE(render(out, Format::table).find("was not counted"), std::string::npos);
}

}  // namespace
}  // namespace assay::trace
