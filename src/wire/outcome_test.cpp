#include "wire/outcome.hpp"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "model/device_state.hpp"
#include "model/kernel_resources.hpp"
#include "model/outcome.hpp"
#include "model/timing_mode.hpp"
#include "model/timing_summary.hpp"
#include "model/verdict.hpp"

namespace assay::wire {
namespace {

Outcome sample_outcome(Verdict verdict) {
  return {.verdict = std::move(verdict),
          .check = CheckSummary{.rounds_passed = 2, .rounds_total = 3, .max_difference = 0.5},
          .candidate_timing = TimingSummary{.samples = {1.5, 2.25},
                                            .statistics = {.mean = 1.875, .median = 1.875},
                                            .method = "cpu_wall_clock"},
          .speed = Speed{.speedup = 2.5,
                         .interval = Interval{2, 3},
                         .interval_95 = Interval{2.1, 2.9},
                         .verdict = SpeedVerdict::faster,
                         .threshold = 0.01,
                         .pairs = 12},
          .provenance = {.device = {"cpu"},
                         .device_name = "x",
                         .assay_version = "1",
                         .seed = 0xFFFF'FFFF'FFFF'FFFFU}};
}

TEST(Outcome, every_verdict_reads_back_as_written) {
  const Mismatch mismatch{.output = "out", .index = {1, 2}, .got = "nan", .want = "3"};
  const Verdict verdicts[] = {Accepted{},
                              DidNotCompile{"log"},
                              WrongAnswer{.reason = "r",
                                          .rule = "constant",
                                          .first = mismatch,
                                          .mismatches = 3,
                                          .compared = 9,
                                          .round = 2},
                              NonDeterministic{.reason = "r", .first = mismatch},
                              Crashed{.reason = "r", .output = "o", .signal = 11},
                              TimedOut{.limit = std::chrono::milliseconds(5000), .phase = "timing"},
                              OutOfMemory{"r"},
                              Tampered{.rule = "clock", .reason = "r"},
                              ImpossibleTime{"r"},
                              ReferenceFailed{.verdict = "crashed", .reason = "r"},
                              Unsupported{.reason = "r", .line = 4},
                              WeakCheck{.reason = "r", .passes = {"zeros"}}};
  for (const Verdict& verdict : verdicts) {
    const std::string text = encode_outcome(sample_outcome(verdict));
    const auto again = decode_outcome(text);
    ASSERT_TRUE(again) << text << again.error().message();
    EXPECT_EQ(name_of(again->verdict), name_of(verdict));
    EXPECT_EQ(reason_of(again->verdict), reason_of(verdict));
    EXPECT_EQ(encode_outcome(*again), text);
  }
}

TEST(Outcome, the_limit_used_and_warnings_read_back_as_written) {
  Outcome outcome = sample_outcome(Accepted{});
  outcome.check = CheckSummary{.rounds_passed = 3,
                               .rounds_total = 3,
                               .tolerance = ToleranceUsed{.rule = ToleranceRule::compatible,
                                                          .output = "out",
                                                          .atol = 1e-3,
                                                          .used = 0.25,
                                                          .with_float64 = true},
                               .inputs = {"sparse, scaled by 6"},
                               .made_on_device = true};
  outcome.warnings = {{.code = "weak_check", .message = "weak", .passes = {"zeros"}}};
  const auto again = decode_outcome(encode_outcome(outcome)).value();
  EXPECT_EQ(again.check->tolerance->rule, ToleranceRule::compatible);
  EXPECT_EQ(again.check->tolerance->used, 0.25);
  EXPECT_TRUE(again.check->tolerance->with_float64);
  EXPECT_EQ(again.check->inputs, outcome.check->inputs);
  ASSERT_EQ(again.warnings.size(), 1U);
  EXPECT_EQ(again.warnings[0].passes, outcome.warnings[0].passes);
  EXPECT_EQ(encode_outcome(again), encode_outcome(outcome));
}

TEST(Outcome, keeps_samples_and_a_64_bit_seed_exactly) {
  const auto again = decode_outcome(encode_outcome(sample_outcome(Accepted{}))).value();
  EXPECT_EQ(again.candidate_timing->samples, (std::vector<double>{1.5, 2.25}));
  EXPECT_EQ(again.provenance.seed, 0xFFFF'FFFF'FFFF'FFFFU);
  EXPECT_EQ(again.speed->verdict, SpeedVerdict::faster);
  EXPECT_FALSE(again.reference_timing);
}

TEST(Outcome, intervals_are_told_only_where_there_are_some) {
  Outcome outcome = sample_outcome(Accepted{});
  outcome.candidate_timing->statistics.median_interval = {.low = 1.5, .high = 2.25};
  const auto with = decode_outcome(encode_outcome(outcome)).value();
  EXPECT_EQ(with.speed->interval.value().high, 3);
  EXPECT_EQ(with.speed->interval_95.value().high, 2.9);
  EXPECT_EQ(with.speed->threshold, 0.01);
  EXPECT_EQ(with.speed->pairs, 12U);
  EXPECT_EQ(with.candidate_timing->statistics.median_interval.value().low, 1.5);
  outcome.candidate_timing->statistics.median_interval.reset();
  outcome.speed->interval.reset();
  outcome.speed->interval_95.reset();
  const std::string text = encode_outcome(outcome);
  EXPECT_EQ(text.find("ci95"), std::string::npos) << text;
  EXPECT_FALSE(decode_outcome(text).value().speed->interval);
}

TEST(Outcome, all_that_is_known_of_a_time_reads_back_as_written) {
  Outcome outcome = sample_outcome(Accepted{});
  TimingSummary& timing = *outcome.candidate_timing;
  timing.mode = TimingMode::graph;
  timing.device_time = CallTime{.ns = 5056, .interval = Interval{5000, 5100}};
  timing.kernel_time =
      KernelTime{.busy_ns = 3700,
                 .span_ns = 4000,
                 .kernels = {{.name = "relu", .launches = 2, .ns = 3700, .share = 1}}};
  timing.host_time = CallTime{.ns = 31'000};
  timing.host_included = true;
  timing.trust = Trust::measured_outside;
  timing.trust_reason = "by the gate";
  timing.event_overhead = 1700;
  timing.clocks_locked = false;
  timing.batches = {{.samples = 2,
                     .median_ns = 1.875,
                     .wall = std::chrono::microseconds(3),
                     .unused_because = "slowed",
                     .state = DeviceState{.sm_clock_mhz = 1980,
                                          .memory_clock_mhz = 3201,
                                          .temperature_celsius = 41,
                                          .power_watts = 321.5,
                                          .slowed_by = {"sw_power_cap"},
                                          .processes = 3}}};
  const std::string text = encode_outcome(outcome);
  const auto again = decode_outcome(text).value();
  EXPECT_EQ(encode_outcome(again), text);
  EXPECT_EQ(again.candidate_timing->kernel_time->kernels.at(0).launches, 2U);
  EXPECT_EQ(again.candidate_timing->batches.at(0).state->slowed_by.at(0), "sw_power_cap");
  EXPECT_EQ(again.candidate_timing->trust, Trust::measured_outside);
  const std::string brief = encode_outcome(outcome, false);
  EXPECT_EQ(brief.find("sm_clock_mhz"), std::string::npos) << brief;
  EXPECT_NE(brief.find(R"("unused_batches":1)"), std::string::npos) << brief;
}

TEST(Outcome, of_an_older_version_is_read_without_what_it_did_not_know) {
  const auto outcome = decode_outcome(R"({"verdict":"accepted","reason":"","details":{},
    "provenance":{"device":"cpu","device_name":"x","assay_version":"0.1.0","seed":"0f"},
    "candidate_timing":{"method":"cpu_wall_clock","sample_count":1,"samples_ns":[1],
      "statistics_ns":{"mean":1,"std":0,"min":1,"max":1,"median":1,"percentile_95":1,
        "percentile_99":1}},
    "speed":{"speedup":2,"ci95":[1.5,2.5],"verdict":"faster"}})");
  ASSERT_TRUE(outcome) << outcome.error().message();
  EXPECT_FALSE(outcome->candidate_timing->device_time);
  EXPECT_FALSE(outcome->candidate_timing->trust);
  EXPECT_FALSE(outcome->speed->interval);
  EXPECT_EQ(outcome->speed->interval_95.value().high, 2.5);
}

TEST(Outcome, resources_of_either_kernel_read_back_as_written) {
  Outcome outcome = sample_outcome(Accepted{});
  outcome.candidate_resources =
      KernelResources{.registers_per_thread = 40,
                      .spills = RegisterSpills{.store_bytes = 16, .load_bytes = 20},
                      .occupancy = 0.5};
  const std::string text = encode_outcome(outcome);
  const auto again = decode_outcome(text).value();
  EXPECT_EQ(encode_outcome(again), text);
  EXPECT_EQ(again.candidate_resources.value().spills.value().load_bytes, 20);
  EXPECT_FALSE(again.reference_resources);
  outcome.reference_resources = KernelResources{.constant_bytes = 8};
  const auto both = decode_outcome(encode_outcome(outcome)).value();
  EXPECT_EQ(both.reference_resources.value().constant_bytes, 8);
  EXPECT_FALSE(both.reference_resources->spills);
}

TEST(Outcome, what_compilers_said_is_told_where_they_said_something) {
  Outcome outcome = sample_outcome(Accepted{});
  EXPECT_EQ(encode_outcome(outcome).find("build_log"), std::string::npos);
  outcome.provenance.candidate_build_log = "3: warning: unused";
  outcome.provenance.jail_missing = {"seccomp", "python.private_proc"};
  const auto again = decode_outcome(encode_outcome(outcome)).value();
  EXPECT_EQ(again.provenance.candidate_build_log, "3: warning: unused");
  EXPECT_EQ(again.provenance.jail_missing, outcome.provenance.jail_missing);
  EXPECT_EQ(again.provenance.reference_build_log, "");
}

TEST(Outcome, whether_tritons_cache_was_given_is_told_only_where_it_could_be) {
  Outcome outcome = sample_outcome(Accepted{});
  EXPECT_EQ(encode_outcome(outcome).find("triton_cache_hit"), std::string::npos);
  outcome.provenance.candidate_triton_cache_hit = false;
  const auto again = decode_outcome(encode_outcome(outcome)).value();
  EXPECT_EQ(again.provenance.candidate_triton_cache_hit, false);
  EXPECT_FALSE(again.provenance.reference_triton_cache_hit.has_value());
}

TEST(Outcome, artifacts_are_named_with_their_size_or_why_they_are_missing) {
  Outcome outcome = sample_outcome(Accepted{});
  outcome.artifacts = {{.name = "candidate.ptx", .bytes = 5, .text = "ld.sh"},
                       {.name = "candidate.sass", .absent = "no disassembler"}};
  const std::string text = encode_outcome(outcome);
  EXPECT_EQ(text.find("ld.sh"), std::string::npos);
  const auto again = decode_outcome(text).value();
  ASSERT_EQ(again.artifacts.size(), 2U);
  EXPECT_EQ(again.artifacts[0].name, "candidate.ptx");
  EXPECT_EQ(again.artifacts[0].bytes, 5U);
  EXPECT_FALSE(again.artifacts[0].absent);
  EXPECT_EQ(again.artifacts[1].absent, "no disassembler");
}

TEST(Outcome, program_output_that_is_not_utf8_is_still_written) {
  const std::string text =
      encode_outcome(sample_outcome(Crashed{.reason = "r", .output = "\xff\xfe"}));
  EXPECT_TRUE(decode_outcome(text));
}

TEST(Outcome, damaged_text_is_data_loss) {
  EXPECT_EQ(decode_outcome("{}").error().code(), ErrorCode::data_loss);
  EXPECT_EQ(decode_outcome("{\"verdict\":").error().code(), ErrorCode::data_loss);
}

}  // namespace
}  // namespace assay::wire
