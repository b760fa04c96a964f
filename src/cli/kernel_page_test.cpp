#include "cli/kernel_page.hpp"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "trace/ncu/report.hpp"
#include "trace/table.hpp"
#include "wire/value.hpp"

namespace assay::cli {
namespace {

wire::Value job(std::string_view metrics) {
  return wire::Value::parse(
             R"({"name": "scale", "verdict": "accepted", "result": {"provenance": {"device_name":
             "H200"}, "device_metrics_status": {"state": "failed", "reason": "why", "advice":
             "do"}, "device_metrics": )" +
             std::string(metrics) + "}}")
      .value();
}

TEST(KernelPage, sets_reference_and_candidate_beside_each_other) {
  const trace::Report page = kernel_page(job(R"({
    "original_device_metrics": {"launches": [], "findings": [],
      "detailed_metrics": {"l2_hit_rate_pct": 20}},
    "custom_device_metrics": {"launches": [{"kernel": "k", "grid": "1", "block": "2", "share": 1}],
      "findings": [{"rule": "memory_bound", "text": "memory-bound: 92 %", "numbers": {"a": 92}}],
      "detailed_metrics": {"l2_hit_rate_pct": 40, "waves_per_sm": 3},
      "stall_metrics": {"stall_long_scoreboard_pct": 60, "stall_wait_pct": 0},
      "roofline_metrics": {"arithmetic_intensity": 2, "gflops": 100, "peak_gflops": 1000,
                           "dram_peak_gb_s": 4800}}})"));
  EXPECT_EQ(page.findings.at(0).message, "memory-bound: 92 %");
  EXPECT_EQ(page.findings.at(0).subject, "candidate");
  const trace::Table* table = page.find_table("detailed_metrics");
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(table->find(0, "reference")->number(), 20);
  EXPECT_EQ(table->find(0, "candidate")->number(), 40);
  EXPECT_EQ(table->find(0, "ratio")->number(), 2);
  EXPECT_TRUE(table->find(1, "reference")->absent());
  ASSERT_TRUE(page.figures.breakdown);
  ASSERT_EQ(page.figures.breakdown->slices.size(), 2U);
  EXPECT_EQ(page.figures.breakdown->slices[1].value, 40);
  EXPECT_EQ(page.figures.breakdown->slices[0].label, "long scoreboard");
  ASSERT_EQ(page.figures.rooflines.size(), 1U);
  EXPECT_EQ(page.figures.rooflines[0].points.at(0).flop_per_second, 1e11);
  EXPECT_EQ(page.find_table("launches")->rows.size(), 1U);
}

TEST(KernelPage, has_instructions_where_the_report_counted_them) {
  trace::NcuReport report;
  trace::NcuLaunch launch{.name = "k", .function = "k", .mangled = "_Z1k"};
  trace::NcuMetric samples{.name = "smsp__pcsamp_sample_count", .value = 1};
  samples.instances = {{trace::Cell(4096), trace::Cell(900)},
                       {trace::Cell(4112), trace::Cell(100)}};
  trace::NcuMetric functions{.name = "launch__function_pcs", .value = 1};
  functions.instances = {{trace::Cell(0), trace::Cell(4096)}};
  launch.metrics = {functions, samples};
  report.launches = {launch};
  trace::Report page = kernel_page(job("null"));
  add_source(report, page);
  const trace::Table* table = page.find_table("instructions");
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(table->rows.size(), 2U);
  EXPECT_EQ(table->title, "Instructions of the candidate");
  EXPECT_NE(page.findings.back().message.find("90.0% of the samples"), std::string::npos);
  EXPECT_EQ(page.find_table("source_lines"), nullptr);
}

TEST(KernelPage, says_why_there_are_no_counters) {
  const trace::Report page = kernel_page(job("null"));
  EXPECT_EQ(page.findings.at(0).kind, trace::FindingKind::abstention);
  EXPECT_EQ(page.findings.at(0).message, "why. do");
  EXPECT_TRUE(page.tables.empty());
}

TEST(KernelPage, draws_no_roofline_where_a_number_is_missing) {
  const trace::Report page = kernel_page(job(
      R"({"custom_device_metrics": {"launches": [], "findings": [],
          "roofline_metrics": {"arithmetic_intensity": 2, "gflops": 0}}})"));
  EXPECT_TRUE(page.figures.rooflines.empty());
  EXPECT_FALSE(page.figures.breakdown);
}

}  // namespace
}  // namespace assay::cli
