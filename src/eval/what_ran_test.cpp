#include "eval/what_ran.hpp"

#include <string>
#include <variant>

#include <gtest/gtest.h>

#include "eval/runner.hpp"
#include "model/device_info.hpp"
#include "model/kernel.hpp"
#include "model/outcome.hpp"
#include "model/request.hpp"
#include "model/timing_summary.hpp"
#include "model/verdict.hpp"

namespace assay::eval {
namespace {

Request request(bool required, KernelType type = KernelType::triton) {
  Request made;
  made.candidate = {.source = "@triton.jit\ndef add(x):\n  pass\n", .type = type};
  made.require.own_kernels = required;
  return made;
}

/// A list as a GPU gives it.
Outcome ran(double own_ns) {
  Outcome outcome;
  outcome.candidate_timing = TimingSummary{};
  outcome.candidate_timing->kernel_time =
      KernelTime{.busy_ns = 100,
                 .kernels = {{.name = "ampere_sgemm_128x64_nn", .ns = 100 - own_ns, .share = 0.9},
                             {.name = "add", .ns = own_ns, .share = 0.1}}};
  return outcome;
}

Verdict verdict_of(const Attempt<void>& attempt) {
  return std::get<Fate>(attempt.error()).verdict;
}

TEST(WhatRanInEvaluation, is_marked_and_a_decoy_is_a_warning) {
  auto honest = ran(90);
  EXPECT_TRUE(weigh_what_ran(request(true), honest));
  EXPECT_TRUE(honest.warnings.empty());
  EXPECT_EQ(honest.candidate_timing->kernel_time->kernels[1].origin, KernelOrigin::own);
  auto decoy = ran(0.2);
  EXPECT_TRUE(weigh_what_ran(request(false), decoy));
  ASSERT_EQ(decoy.warnings.size(), 1U);
  EXPECT_EQ(decoy.warnings[0].code, "decoy");
}

TEST(WhatRanInEvaluation, a_decoy_is_refused_where_own_kernels_are_required) {
  auto decoy = ran(0.2);
  const auto refused = weigh_what_ran(request(true), decoy);
  ASSERT_FALSE(refused);
  EXPECT_EQ(std::get<WrongAnswer>(verdict_of(refused)).rule, "own_kernels");
}

TEST(WhatRanInEvaluation, what_cannot_be_told_is_refused_only_where_it_is_required) {
  const auto refused = can_tell_what_ran(request(true), DeviceKind::cpu);
  ASSERT_FALSE(refused);
  EXPECT_NE(reason_of(verdict_of(refused)).find("only a GPU lists"), std::string::npos);
  EXPECT_TRUE(can_tell_what_ran(request(true), DeviceKind::cuda));
  EXPECT_TRUE(can_tell_what_ran(request(true, KernelType::cuda), DeviceKind::cpu));
  EXPECT_TRUE(can_tell_what_ran(request(false), DeviceKind::cpu));
  Outcome unknown;
  unknown.candidate_timing = TimingSummary{};
  unknown.candidate_timing->kernel_time_missing = "another profiler has them";
  const auto missing = weigh_what_ran(request(true), unknown);
  ASSERT_FALSE(missing);
  EXPECT_NE(reason_of(verdict_of(missing)).find("another profiler has them"), std::string::npos);
  EXPECT_TRUE(weigh_what_ran(request(false), unknown));
}

}  // namespace
}  // namespace assay::eval
