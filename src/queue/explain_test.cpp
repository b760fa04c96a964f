#include "queue/explain.hpp"

#include <cstdint>
#include <string>
#include <variant>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/device_info.hpp"
#include "model/dtype.hpp"
#include "model/finding.hpp"
#include "model/io_contract.hpp"
#include "model/kernel.hpp"
#include "model/outcome.hpp"
#include "model/request.hpp"
#include "model/timing_summary.hpp"
#include "model/verdict.hpp"

namespace assay::queue {
namespace {

using ::testing::HasSubstr;

Outcome explained(Outcome outcome, const Request& request = {},
                  DeviceKind device = DeviceKind::cpu) {
  explain(outcome, request, device);
  return outcome;
}

TEST(Explain, reason_has_thread_block_and_line_of_a_finding) {
  const Finding finding{.kind = "out_of_bounds",
                        .message = "index 256 of y",
                        .place = {.thread = {63, 0, 0}, .block = {3, 1, 0}, .line = 4}};
  const Outcome outcome = explained(
      {.verdict = Crashed{.reason = "out_of_bounds: index 256 of y"}, .findings = {finding}},
      {.sanitize = {.memory = true}});
  EXPECT_EQ(reason_of(outcome.verdict),
            "out_of_bounds: index 256 of y; thread 63 of block (3, 1, 0), line 4");
  EXPECT_EQ(outcome.next_step, "");
}

TEST(Explain, reason_of_a_race_has_both_places) {
  const Finding finding{.kind = "race",
                        .place = {.thread = {1, 0, 0}, .block = {0, 0, 0}, .line = 5},
                        .other = Place{.thread = {2, 0, 0}, .block = {0, 0, 0}, .line = 6}};
  const Outcome outcome =
      explained({.verdict = NonDeterministic{.reason = "race: tile"}, .findings = {finding}});
  EXPECT_EQ(reason_of(outcome.verdict),
            "race: tile; thread 1 of block 0, line 5 and thread 2 of block 0, line 6");
}

TEST(Explain, after_a_crash_the_sanitizer_is_the_next_step) {
  const Outcome crashed{.verdict = Crashed{.reason = "killed by SIGSEGV"}};
  EXPECT_THAT(explained(crashed).next_step, HasSubstr("--sanitize memory"));
  EXPECT_THAT(explained(crashed, {}, DeviceKind::cuda).next_step, HasSubstr("--sanitize memory"));
  EXPECT_EQ(explained(crashed, {.sanitize = {.memory = true}}).next_step, "");
  const Request triton{.candidate = {.type = KernelType::triton}};
  EXPECT_EQ(explained(crashed, triton).next_step, "");
  EXPECT_THAT(explained(crashed, triton, DeviceKind::cuda).next_step,
              HasSubstr("--sanitize memory"));
  EXPECT_EQ(explained({.verdict = Accepted{}}).next_step, "");
}

TEST(Explain, a_crashed_reference_gets_the_same_next_step) {
  const Outcome crashed{.verdict = ReferenceFailed{.verdict = "crashed", .reason = "SIGSEGV"}};
  const Request cuda{.reference = Kernel{}, .candidate = {.type = KernelType::triton}};
  EXPECT_THAT(explained(crashed, cuda).next_step,
              HasSubstr("the reference alone with --sanitize memory"));
  const Request torch{.reference = Kernel{.type = KernelType::torch}};
  EXPECT_EQ(explained(crashed, torch).next_step, "");
  EXPECT_EQ(explained({.verdict = ReferenceFailed{.verdict = "timed_out"}}, cuda).next_step, "");
}

TEST(Explain, which_of_several_kernels_was_taken_is_told) {
  const Kernel two{.source = "__global__ void f() {} __global__ void g() {}"};
  const auto warnings = explained({.verdict = Accepted{}}, {.candidate = two}).warnings;
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings.front().code, "kernel_chosen");
  EXPECT_THAT(warnings.front().message, HasSubstr("'f' was launched, not g"));
  Kernel named = two;
  named.metadata.kernel_name = "g";
  EXPECT_TRUE(explained({.verdict = Accepted{}}, {.candidate = named}).warnings.empty());
  const Kernel one{.source = "__global__ void f() {}"};
  EXPECT_TRUE(explained({.verdict = Accepted{}}, {.candidate = one}).warnings.empty());
}

TEST(Explain, a_contract_of_another_type_than_the_kernels_is_told) {
  Kernel kernel{
      .source = "__global__ void f(const float* x, unsigned int* y, char* z, int n) {}",
      .io = IoContract{.args = {{.name = "x", .value = TensorArg{.dtype = DType::float16}},
                                {.name = "y", .value = TensorArg{.dtype = DType::int32}},
                                {.name = "z", .value = TensorArg{.dtype = DType::boolean}},
                                {.name = "n", .value = ScalarArg{std::int64_t{3}}}}}};
  const auto warnings = explained({.verdict = Accepted{}}, {.candidate = kernel}).warnings;
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings.front().code, "dtype_differs");
  EXPECT_THAT(warnings.front().message,
              HasSubstr("'x' as float16, and its parameter is 'const float"));
  std::get<TensorArg>(kernel.io->args[0].value).dtype = DType::float32;
  EXPECT_TRUE(explained({.verdict = Accepted{}}, {.candidate = kernel}).warnings.empty());
}

TEST(Explain, a_wild_access_that_is_told_in_full_is_not_promised_again) {
  const Finding wild{.kind = "wild_access",
                     .place = {.thread = {0, 0, 0}, .block = {0, 0, 0}, .line = 4}};
  const Outcome crashed{.verdict = Crashed{.reason = "wild_access: index 9 of y"},
                        .findings = {wild}};
  EXPECT_THAT(explained(crashed).next_step,
              HasSubstr("that names the first access outside of an array"));
}

TEST(Explain, who_ran_out_of_time_is_told_what_to_look_for) {
  const Request triton{.candidate = {.type = KernelType::triton}};
  for (const Request& request : {Request{}, triton}) {
    EXPECT_THAT(explained({.verdict = TimedOut{.phase = "checking"}}, request).next_step,
                HasSubstr("an endless loop"));
    EXPECT_EQ(explained({.verdict = TimedOut{.phase = "building"}}, request).next_step, "");
  }
}

TEST(Explain, speed_on_the_cpu_device_is_judged_only_when_asked_for) {
  const Outcome fast{.verdict = Accepted{},
                     .speed = Speed{.speedup = 2, .verdict = SpeedVerdict::faster}};
  EXPECT_EQ(explained(fast).speed->verdict, SpeedVerdict::not_judged);
  EXPECT_EQ(explained(fast).speed->speedup, 2);
  EXPECT_EQ(explained(fast, {.judge_speed = true}).speed->verdict, SpeedVerdict::faster);
  EXPECT_EQ(explained(fast, {}, DeviceKind::cuda).speed->verdict, SpeedVerdict::faster);
}

}  // namespace
}  // namespace assay::queue
