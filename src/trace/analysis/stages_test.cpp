#include "trace/analysis/stages.hpp"

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "trace/analysis/analysis.hpp"
#include "trace/analysis/op_class.hpp"
#include "trace/events/demo_fixture.hpp"
#include "trace/events/events.hpp"
#include "trace/events/nsys_fixture.hpp"
#include "trace/events/nsys_sqlite.hpp"
#include "trace/mfu.hpp"
#include "trace/model_flops.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

Report report_of(const std::string& stages, const MfuPeak& peak) {
  NsysFixture fixture;
  add_demo(fixture);
  const Trace trace = read_nsys_sqlite(fixture.image()).value();
  const OpClassifier classifier;
  Analysis analysis(trace, classifier);
  Report report;
  add_stages(analysis, parse_stages(stages, {}).value(), {}, peak, report);
  return report;
}

TEST(Stages, are_read_as_people_write_them) {
  const auto stages =
      parse_stages(" forward:flop=3e12 ; bwd:range=step > backward,flop=6e12;optimizer;", {})
          .value();
  ASSERT_EQ(stages.size(), 3U);
  EXPECT_EQ(stages[0].range, "forward");
  EXPECT_EQ(stages[0].work->shape.flop, 3e12);
  EXPECT_EQ(stages[1].name, "bwd");
  EXPECT_EQ(stages[1].range, "step > backward");
  EXPECT_FALSE(stages[2].work);
  const ModelShape model = parse_model_shape("layers=2,hidden=64,heads=2,ffn=128").value();
  const auto counted = parse_stages("prefill:kind=prefill,batch=2,tokens=16", model).value();
  EXPECT_EQ(counted[0].work->shape.kind, StageKind::prefill);
  for (const char* wrong :
       {"", ";", ":flop=1", "a:flop=x", "a:kind=strange,tokens=4", "a:what=1"}) {
    EXPECT_EQ(parse_stages(wrong, {}).error().code(), ErrorCode::invalid_argument) << wrong;
  }
}

TEST(Stages, have_the_time_that_gpus_took_and_the_utilisation_that_follows) {
  const Report report =
      report_of("forward:flop=1e9;backward;optimizer", {.device = "", .flop_per_s = 1e15});
  const Table& table = report.tables.at(0);
  ASSERT_EQ(table.name, "stages");
  ASSERT_EQ(table.rows.size(), 3U);
  EXPECT_EQ(*table.find(0, "stage"), Cell("forward"));
  const double runs = table.find(0, "runs")->number().value();
  const double total = table.find(0, "total_ns")->number().value();
  EXPECT_DOUBLE_EQ(table.find(0, "per_run_ns")->number().value(), total / runs);
  double share = 0;
  for (std::size_t row = 0; row < 3; ++row) share += table.find(row, "share_pct")->number().value();
  EXPECT_NEAR(share, 100, 1e-9);
  const Table& mfu = report.tables.at(1);
  ASSERT_EQ(mfu.rows.size(), 1U);
  // By hand: work of all runs, over what the peak could have done in that time.
  EXPECT_NEAR(mfu.find(0, "mfu_pct")->number().value(), 100 * (1e9 * runs) / (1e15 * total * 1e-9),
              1e-9);
}

TEST(Stages, that_are_not_there_are_told_and_the_others_stand) {
  const Report report = report_of("nowhere;forward:flop=1e9", {.device = "no such device"});
  ASSERT_EQ(report.tables.size(), 1U);
  EXPECT_EQ(report.tables[0].rows.size(), 1U);
  ASSERT_EQ(report.findings.size(), 2U);
  EXPECT_NE(report.findings[0].message.find("nowhere"), std::string::npos);
  EXPECT_NE(report.findings[1].message.find("--peak-tflops"), std::string::npos);
}

TEST(Stages, count_a_run_that_only_its_host_made_slow) {
  NsysFixture fixture;
  for (std::int64_t i = 0; i < 5; ++i) {
    const std::int64_t at = i * 10'000;
    fixture.range({.start = at, .end = at + (i == 0 ? 9'000 : 900), .name = "forward"});
    fixture.launch({.call_start = at + 10,
                    .call_end = at + 20,
                    .start = at + 30,
                    .end = at + 530,
                    .name = "k"});
  }
  const Trace trace = read_nsys_sqlite(fixture.image()).value();
  const OpClassifier classifier;
  Analysis analysis(trace, classifier);
  Report report;
  add_stages(analysis, parse_stages("forward", {}).value(), {}, {}, report);
  EXPECT_EQ(*report.tables.at(0).find(0, "runs"), Cell(5));
}

}  // namespace
}  // namespace assay::trace
