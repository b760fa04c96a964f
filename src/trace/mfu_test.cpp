#include "trace/mfu.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "trace/device_peaks.hpp"
#include "trace/model_flops.hpp"
#include "trace/ncu/report.hpp"
#include "trace/ncu/sample_report.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

ModelShape llama3() {
  return parse_model_shape("layers=32,hidden=4096,heads=32,kv_heads=8,ffn=14336,vocab=128256")
      .value();
}

TEST(MfuStage, is_read_with_its_time) {
  const MfuStage stage =
      parse_mfu_stage("decode:batch=8,tokens=1024,new=256,time=2.5ms,name=gen", llama3()).value();
  EXPECT_EQ(stage.shape.kind, StageKind::decode);
  EXPECT_EQ(stage.shape.batch, 8);
  EXPECT_EQ(stage.shape.new_tokens, 256);
  EXPECT_EQ(stage.time_ns, 2.5e6);
  EXPECT_EQ(stage.name, "gen");
}

TEST(MfuStage, can_leave_its_time_to_a_range) {
  const MfuStage stage = parse_mfu_stage("forward:tokens=128,range=Forward", llama3()).value();
  EXPECT_EQ(stage.range, "Forward");
  EXPECT_EQ(stage.name, "Forward");
  EXPECT_EQ(stage.time_ns, 0);
}

TEST(MfuStage, takes_tokens_per_second_for_time) {
  const MfuStage stage =
      parse_mfu_stage("decode:batch=8,tokens=1024,new=250,tokens_per_s=4000", llama3()).value();
  EXPECT_DOUBLE_EQ(stage.time_ns, 0.5e9);
}

TEST(MfuStage, refuses_what_it_cannot_mean) {
  for (const std::string_view text :
       {"sleep:tokens=1", "decode:tokens=10", "prefill:batch=1", "prefill:tokens=0",
        "prefill:tokens=1,time=5", "prefill:tokens=1,time=ms", "prefill:tokens=1,what=3",
        "prefill:tokens", "prefill:tokens=1,attention=none", "prefill:tokens=nan"}) {
    const auto stage = parse_mfu_stage(text, llama3());
    ASSERT_FALSE(stage) << text;
    EXPECT_EQ(stage.error().code(), ErrorCode::invalid_argument) << text;
  }
}

TEST(ModelMfu, is_held_against_the_dense_peak_and_the_clock_run) {
  const std::vector<MfuStage> stages = {
      parse_mfu_stage("prefill:batch=4,tokens=2048,time=250ms", llama3()).value()};
  const Report report =
      model_mfu(llama3(), stages, {.device = "NVIDIA H100 80GB HBM3", .clock_hz = 1.5e9}).value();
  const Table& table = *report.find_table("mfu");
  const double flop = count_flops(llama3(), stages[0].shape).total;
  EXPECT_EQ(*table.find(0, "model_flop"), Cell(flop));
  EXPECT_NEAR(table.find(0, "mfu_pct")->number().value_or(0), 100 * flop / 0.25 / 989.4e12, 1e-9);
  EXPECT_NEAR(table.find(0, "mfu_at_clock_pct")->number().value_or(0),
              100 * flop / 0.25 / (4096 * 132 * 1.5e9), 1e-9);
  EXPECT_DOUBLE_EQ(table.find(0, "tokens_per_s")->number().value_or(0), 4 * 2048 / 0.25);
}

TEST(ModelMfu, shows_its_formulas_and_their_shares_add_up) {
  const std::vector<MfuStage> stages = {
      parse_mfu_stage("training:batch=4,tokens=128,time=1s", llama3()).value()};
  const Report report = model_mfu(llama3(), stages, {.device = "A100"}).value();
  const Table& terms = *report.find_table("flop_terms");
  ASSERT_EQ(terms.rows.size(), 4U);
  EXPECT_EQ(*terms.find(0, "formula"), Cell("3 * 2*L*d*hd*(2H + 2KV) * tokens"));
  double share = 0;
  for (std::size_t i = 0; i < terms.rows.size(); ++i) {
    share += terms.find(i, "share_pct")->number().value_or(0);
  }
  EXPECT_NEAR(share, 100, 1e-9);
}

TEST(ModelMfu, divides_by_the_devices_and_takes_a_given_peak) {
  const std::vector<MfuStage> stages = {
      parse_mfu_stage("forward:tokens=128,time=1s", llama3()).value()};
  const Report report = model_mfu(llama3(), stages, {.devices = 8, .flop_per_s = 1e12}).value();
  const double flop = count_flops(llama3(), stages[0].shape).total;
  EXPECT_NEAR(report.tables[0].find(0, "mfu_pct")->number().value_or(0), 100 * flop / 8 / 1e12,
              1e-9);
}

TEST(ModelMfu, above_the_peak_is_called_wrong) {
  const std::vector<MfuStage> stages = {
      parse_mfu_stage("prefill:tokens=2048,time=1us", llama3()).value()};
  const Report report = model_mfu(llama3(), stages, {.device = "H100"}).value();
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(report.findings[0].kind, FindingKind::error);
}

TEST(ModelMfu, needs_a_known_peak_and_a_time) {
  const std::vector<MfuStage> stages = {
      parse_mfu_stage("prefill:tokens=2048,time=1ms", llama3()).value()};
  EXPECT_EQ(model_mfu(llama3(), stages, {.device = "abacus"}).error().code(), ErrorCode::not_found);
  EXPECT_EQ(model_mfu(llama3(), stages, {.device = "A100", .type = MathType::fp8}).error().code(),
            ErrorCode::not_found);
  const std::vector<MfuStage> untimed = {parse_mfu_stage("prefill:tokens=2048", llama3()).value()};
  EXPECT_EQ(model_mfu(llama3(), untimed, {.device = "H100"}).error().code(),
            ErrorCode::invalid_argument);
}

TEST(CountedMfu, holds_each_format_against_its_own_dense_peak) {
  const Report report = counted_mfu(testing::sample_report(), {}).value();
  const Table& table = *report.find_table("counted_mfu");
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_NEAR(table.find(0, "mfu_pct")->number().value_or(0),
              100 * 137438953472.0 / 989.4e12 / 200e-6, 1e-9);
  EXPECT_NEAR(table.find(0, "mfu_at_clock_pct")->number().value_or(0),
              100 * 137438953472.0 / (540672 * 1.5e9) / 200e-6, 1e-9);
  const double ideal = 137438953472.0 / 989.4e12 + 100.0 * 2e9 * 50e-6 / 66.9e12;
  EXPECT_NEAR(report.facts[2].value.number().value_or(0), 100 * ideal / 250e-6, 1e-9);
}

TEST(CountedMfu, of_a_report_without_counters_is_refused_and_partial_ones_say_so) {
  NcuReport report;
  report.launches = {{.name = "k"}};
  EXPECT_EQ(counted_mfu(report, {}).error().code(), ErrorCode::not_found);
  report = testing::sample_report();
  report.launches.push_back({.name = "k"});
  EXPECT_EQ(counted_mfu(report, {}).value().diagnostics.count("launch_without_flop_counters"), 1U);
}

}  // namespace
}  // namespace assay::trace
