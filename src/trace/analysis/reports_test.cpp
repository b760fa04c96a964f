#include "trace/analysis/reports.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/result.hpp"
#include "trace/analysis/analysis.hpp"
#include "trace/analysis/op_class.hpp"
#include "trace/analysis/operators.hpp"
#include "trace/analysis/sums.hpp"
#include "trace/events/demo_fixture.hpp"
#include "trace/events/events.hpp"
#include "trace/events/kineto.hpp"
#include "trace/events/nsys_fixture.hpp"
#include "trace/events/nsys_sqlite.hpp"
#include "trace/events/nsys_stats.hpp"
#include "trace/golden.hpp"
#include "trace/render.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

Trace demo() {
  NsysFixture fixture;
  add_demo(fixture);
  return read_nsys_sqlite(fixture.image()).value();
}

Trace with_graphs() {
  NsysFixture fixture;
  fixture.call({.start = 0, .end = 9, .name = "cudaGraphLaunch_v10000", .correlation = 1});
  fixture.graph(20, 120, 42, 1);
  fixture.call({.start = 130, .end = 138, .name = "cudaGraphLaunch_v10000", .correlation = 2});
  for (std::uint64_t node = 5; node < 8; ++node) {
    const auto start = static_cast<std::int64_t>(100 + node * 10);
    fixture.kernel(
        {.start = start, .end = start + 5, .name = "k", .correlation = 2, .graph_node = node});
  }
  return read_nsys_sqlite(fixture.image()).value();
}

Trace with_counters() {
  return parse_kineto(R"([{"ph":"X","cat":"cuda_profiler_range","name":"k","ts":1,"dur":1,
      "args":{"smsp__inst_executed.sum":12}},{"ph":"X","cat":"cuda_profiler_range","name":"k","ts":3,
      "dur":1,"args":{"smsp__inst_executed.sum":30}}])")
      .value();
}

std::string csv_of(const Trace& trace, const ReportOptions& options) {
  const OpClassifier classifier;
  Analysis analysis(trace, classifier);
  auto report = make_report(analysis, options);
  EXPECT_TRUE(report.has_value()) << (report ? "" : report.error().message());
  return report ? render(*report, Format::csv) : "";
}

class EveryReport : public testing::TestWithParam<ReportName> {};

TEST_P(EveryReport, says_what_it_said) {
  const std::string name(GetParam().name);
  const Trace trace = name == "graphs"      ? with_graphs()
                      : name == "counters"  ? with_counters()
                      : name == "operators" ? parse_kineto(demo_kineto()).value()
                                            : demo();
  expect_golden(name + ".csv", csv_of(trace, {.reports = {name}}));
}

INSTANTIATE_TEST_SUITE_P(Reports, EveryReport, testing::ValuesIn(report_names()),
                         [](const auto& test) {
                           std::string name(test.param.name);
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

TEST(GoldenReports, overview_says_what_it_said) {
  expect_golden("overview.csv", csv_of(demo(), {}));
}

TEST(GoldenReports, within_a_range_say_what_they_said) {
  expect_golden("kernels_in_forward.csv",
                csv_of(demo(), {.reports = {"kernels", "op-classes"}, .range = "forward"}));
}

class Reports : public testing::Test {
 protected:
  Result<Report> make(const ReportOptions& options) { return make_report(analysis_, options); }

  OpClassifier classifier_;
  Trace trace_ = demo();
  Analysis analysis_{trace_, classifier_};
};

TEST_F(Reports, that_do_not_exist_are_refused_with_the_list) {
  const auto report = make({.reports = {"kernel"}});
  EXPECT_EQ(report.error().code(), ErrorCode::invalid_argument);
  EXPECT_NE(report.error().message().find("kernel-shapes"), std::string::npos);
}

TEST_F(Reports, of_a_range_that_does_not_exist_are_not_found) {
  EXPECT_EQ(make({.reports = {"kernels"}, .range = "nowhere"}).error().code(),
            ErrorCode::not_found);
  EXPECT_EQ(make({.range = "nowhere"}).error().code(), ErrorCode::not_found);
}

TEST_F(Reports, all_of_them_come_in_one) {
  const Report report = make({.reports = {"all"}}).value();
  for (const char* name : {"kernels", "op_classes", "cuda_api", "memory_copies", "ranges",
                           "range_coverage", "range_projection", "device_busy", "idle_causes",
                           "launch_latency", "communication", "iterations", "graph_launches"}) {
    EXPECT_NE(report.find_table(name), nullptr) << name;
  }
}

TEST(ReportsOfLittle, say_what_the_profile_does_not_support) {
  const Trace bare = read_nsys_sqlite(NsysFixture().image()).value();
  const OpClassifier classifier;
  Analysis analysis(bare, classifier);
  const Report report = make_report(analysis, {.reports = {"all"}}).value();
  ASSERT_FALSE(report.findings.empty());
  EXPECT_EQ(report.findings[0].kind, FindingKind::abstention);
  EXPECT_EQ(report.diagnostics.count("no_kernel_table"), 1U);
}

TEST_F(Reports, are_cut_to_the_rows_asked_for_and_say_so) {
  const Report report = make({.reports = {"kernels"}, .limit = 2}).value();
  EXPECT_EQ(report.tables.at(0).rows.size(), 2U);
  EXPECT_EQ(report.tables.at(0).notes.back().rfind("The first 2 of", 0), 0U);
}

TEST_F(Reports, show_short_names_where_asked) {
  const Report report = make({.reports = {"kernels"}, .naming = KernelNaming::short_name}).value();
  EXPECT_EQ(report.tables.at(0).rows.size(), 8U);
}

TEST_F(Reports, carry_figures_for_a_page) {
  const Report report = make({.figures = true}).value();
  ASSERT_TRUE(report.figures.timeline.has_value());
  EXPECT_GE(report.figures.timeline->lanes.size(), 4U);
  ASSERT_TRUE(report.figures.breakdown.has_value());
  EXPECT_EQ(report.figures.breakdown->slices.size(), 8U);
}

TEST(ReportsOfCaptures, put_what_was_found_before_the_profilers_warnings) {
  NsysFixture fixture;
  add_demo(fixture);
  fixture.sql("CREATE TABLE DIAGNOSTIC_EVENT (severity INTEGER, text TEXT)");
  fixture.sql("INSERT INTO DIAGNOSTIC_EVENT VALUES (2, 'perf event paranoid level is 2')");
  fixture.sql(
      "INSERT INTO DIAGNOSTIC_EVENT VALUES (2, 'No CUDA events collected. Does the process "
      "use CUDA?')");
  const Trace trace = read_nsys_sqlite(fixture.image()).value();
  const OpClassifier classifier;
  Analysis analysis(trace, classifier);
  const Report report = make_report(analysis, {}).value();
  ASSERT_GE(report.findings.size(), 2U);
  EXPECT_EQ(report.findings.back().name, "profiler_warning");
  EXPECT_EQ(report.findings.back().message, "perf event paranoid level is 2");
  for (std::size_t i = 0; i + 1 < report.findings.size(); ++i) {
    EXPECT_NE(report.findings[i].name, "profiler_warning") << "the launcher saw no CUDA";
  }
}

TEST(StatsReports, show_kernels_and_classes) {
  const StatsFile stats =
      parse_nsys_stats(
          "Time (%),Total Time (ns),Instances,Avg (ns),Name\n100.0,300,3,100.0,sgemm\n")
          .value();
  const OpClassifier classifier;
  const Report report = make_report(stats, classifier, {}).value();
  EXPECT_EQ(*report.find_table("op_classes")->find(0, "op_class"), Cell("gemm"));
  EXPECT_FALSE(make_report(stats, classifier, {.range = "forward"}).has_value());
}

TEST_F(Reports, class_a_short_name_by_the_full_one) {
  NsysFixture fixture;
  fixture.kernel({.start = 0,
                  .end = 100,
                  .name = "void cutlass::Kernel2<cutlass_80_simt_sgemm_128x128_8x4_tn>(T1::Params)",
                  .short_name = "Kernel2"});
  fixture.kernel(
      {.start = 200, .end = 210, .name = "void mine::Kernel2<int>(int)", .short_name = "Kernel2"});
  const Trace trace = read_nsys_sqlite(fixture.image()).value();
  const OpClassifier classifier;
  Analysis analysis(trace, classifier);
  const Table table = kernel_table(analysis.kernel_sums(KernelNaming::short_name), classifier);
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(*table.find(0, "name"), Cell("Kernel2"));
  EXPECT_EQ(*table.find(0, "op_class"), Cell("gemm"));
}

TEST_F(Reports, operators_say_nothing_of_what_no_range_holds) {
  NsysFixture fixture;
  fixture.kernel({.start = 0, .end = 100, .name = "trimmed"});
  fixture.range({.start = 200, .end = 300, .name = "aten::mm"});
  fixture.launch({.call_start = 210, .call_end = 220, .start = 230, .end = 290, .name = "sgemm"});
  fixture.range({.start = 400, .end = 500, .name = "Optimizer.step#AdamW.step"});
  fixture.range({.start = 401, .end = 499, .name = "aten::_foreach_add_"});
  fixture.launch({.call_start = 410, .call_end = 420, .start = 430, .end = 480, .name = "adam"});
  const Trace trace = read_nsys_sqlite(fixture.image()).value();
  const OpClassifier classifier;
  Analysis analysis(trace, classifier);
  const Table table = operator_table(analysis).value();
  ASSERT_EQ(table.rows.size(), 3U);
  EXPECT_EQ(*table.find(0, "pass"), Cell());
  EXPECT_EQ(*table.find(1, "pass"), Cell("forward"));
  EXPECT_EQ(*table.find(2, "pass"), Cell("optimizer"));
}

TEST_F(Reports, operators_of_other_threads_are_in_the_innermost_range) {
  NsysFixture fixture;
  fixture.range({.start = 0, .end = 1000, .name = "step"});
  fixture.range({.start = 100, .end = 900, .name = "backward"});
  fixture.range({.start = 200, .end = 300, .name = "aten::mm", .tid = 107});
  fixture.launch(
      {.call_start = 210, .call_end = 220, .start = 230, .end = 290, .name = "sgemm", .tid = 107});
  const Trace trace = read_nsys_sqlite(fixture.image()).value();
  const OpClassifier classifier;
  Analysis analysis(trace, classifier);
  const Table table = operator_table(analysis).value();
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(*table.find(0, "pass"), Cell("backward"));
  EXPECT_EQ(*table.find(0, "module"), Cell("backward"));
}

}  // namespace
}  // namespace assay::trace
