// What each report on counters says of a made-up report, in the form that holds everything.
#include "trace/golden.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/result.hpp"
#include "trace/mfu.hpp"
#include "trace/model_flops.hpp"
#include "trace/ncu/analyze.hpp"
#include "trace/ncu/compare.hpp"
#include "trace/ncu/report.hpp"
#include "trace/ncu/sample_report.hpp"
#include "trace/render.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

std::string json_of(const Result<Report>& report) {
  EXPECT_TRUE(report.has_value()) << (report ? "" : report.error().message());
  return report ? render(*report, Format::json) : "";
}

TEST(GoldenCounters, kernels_rules_and_roofline_say_what_they_said) {
  expect_golden("ncu_overview.json", json_of(analyze_ncu(testing::sample_report(), "sample")));
}

TEST(GoldenCounters, sections_say_what_they_said) {
  expect_golden("ncu_sections.json",
                json_of(analyze_ncu(testing::sample_report(), "sample", {.list_sections = true})));
}

TEST(GoldenCounters, metrics_say_what_they_said) {
  expect_golden("ncu_metrics.json", json_of(analyze_ncu(testing::sample_report(), "sample",
                                                        {.metrics = {"*duration*"}})));
}

TEST(GoldenCounters, comparison_says_what_it_said) {
  const NcuReport before = testing::sample_report();
  NcuReport after = before;
  after.launches.pop_back();
  expect_golden("ncu_compare.json", json_of(compare_ncu(before, after, "before and after", {})));
}

TEST(GoldenCounters, utilisation_says_what_it_said) {
  expect_golden("ncu_counted_mfu.json", json_of(counted_mfu(testing::sample_report(), {})));
}

TEST(GoldenMfu, of_a_models_stages_says_what_it_said) {
  const ModelShape model =
      parse_model_shape("layers=32,hidden=4096,heads=32,kv_heads=8,ffn=14336,vocab=128256").value();
  std::vector<MfuStage> stages;
  for (const char* text : {"prefill:batch=8,tokens=1024,time=200ms",
                           "decode:batch=8,tokens=1024,new=256,tokens_per_s=900",
                           "counted:flop=1e15,time=2s,name=counters"}) {
    stages.push_back(parse_mfu_stage(text, model).value());
  }
  expect_golden("model_mfu.json",
                json_of(model_mfu(model, stages, {.device = "H100 SXM", .clock_hz = 1.4e9})));
}

}  // namespace
}  // namespace assay::trace
