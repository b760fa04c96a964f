#include "metrics/ncu_end.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/device_metrics.hpp"

namespace assay::metrics {
namespace {

using ::testing::HasSubstr;

TEST(NcuEnd, with_a_report_is_collected) {
  EXPECT_EQ(status_of({.exit_code = 0, .has_report = true}).state, MetricsState::collected);
}

TEST(NcuEnd, forbidden_counters_come_with_what_to_do) {
  const auto status = status_of(
      {.exit_code = 1,
       .has_report = true,
       .said = "==PROF== Connected\n==ERROR== ERR_NVGPUCTRPERM - The user does not have permission "
               "to access NVIDIA GPU Performance Counters\n"});
  EXPECT_EQ(status.state, MetricsState::forbidden);
  EXPECT_THAT(status.advice, HasSubstr("NVreg_RestrictProfilingToAdminUsers=0"));
}

TEST(NcuEnd, a_profiler_that_hangs_timed_out) {
  EXPECT_EQ(status_of({.timed_out = true, .setback = "late"}).state, MetricsState::timed_out);
}

TEST(NcuEnd, a_killed_profiler_failed_and_says_so) {
  const auto status = status_of({});
  EXPECT_EQ(status.state, MetricsState::failed);
  EXPECT_THAT(status.reason, HasSubstr("was killed"));
}

TEST(NcuEnd, the_profilers_own_words_are_passed_on) {
  const auto status = status_of({.exit_code = 1, .said = "x\n==ERROR== unknown section 'Q'\nmore"});
  EXPECT_EQ(status.reason, "ncu: unknown section 'Q'");
  EXPECT_THAT(status_of({.exit_code = 9, .said = "cannot run\n"}).reason,
              HasSubstr("exit code 9 and wrote no report: cannot run"));
}

TEST(NcuEnd, a_call_without_a_kernel_is_told) {
  const auto status =
      status_of({.exit_code = 0, .said = "==WARNING== No kernels were profiled.\n"});
  EXPECT_EQ(status.state, MetricsState::failed);
  EXPECT_THAT(status.reason, HasSubstr("no kernel was launched"));
}

TEST(NcuEnd, another_profiler_on_the_gpu_is_named) {
  EXPECT_THAT(status_of({.exit_code = 1,
                         .said = "Profiling failed because a driver resource was unavailable."})
                  .advice,
              HasSubstr("dcgmi profile --pause"));
}

TEST(NcuEnd, a_missing_profiler_says_where_it_was_looked_for) {
  const auto status = no_profiler("not found on PATH");
  EXPECT_EQ(status.state, MetricsState::no_profiler);
  EXPECT_THAT(status.reason, HasSubstr("not found on PATH"));
  EXPECT_THAT(status.advice, HasSubstr("--ncu"));
}

}  // namespace
}  // namespace assay::metrics
