// Kernels that ask for more to be built while they are evaluated.
#include <chrono>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/ids.hpp"
#include "model/job.hpp"
#include "model/outcome.hpp"
#include "model/verdict.hpp"
#include "queue/dispatcher.hpp"
#include "queue/dispatcher_fixture.hpp"
#include "queue/fakes.hpp"

namespace assay::queue {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using enum JobState;

TEST_F(DispatcherTest, evaluation_that_asks_for_an_extension_is_repeated_with_it) {
  const Job job = run("asks helper", "good");
  EXPECT_EQ(job.verdict, "accepted");
  EXPECT_EQ(history(job.id), (std::vector<JobState>{queued, building, waiting, checking, building,
                                                    waiting, checking, timing, done}));
  EXPECT_EQ(cpu_.seen().size(), 2U);
  EXPECT_EQ(builder_.extension_builds, 1U);
  const Provenance provenance = outcome(job).provenance;
  EXPECT_EQ(provenance.candidate_compiler, "fake 2");
  EXPECT_FALSE(provenance.candidate_cache_hit) << "its extension was not in the cache";
  EXPECT_EQ(provenance.reference_compiler, "fake 1");
}

TEST_F(DispatcherTest, both_kernels_may_ask) {
  const Job job = run("asks helper", "asks helper");
  EXPECT_EQ(job.verdict, "accepted");
  EXPECT_EQ(cpu_.seen().size(), 3U);
  EXPECT_EQ(outcome(job).provenance.reference_compiler, "fake 2");
}

TEST_F(DispatcherTest, extension_that_cannot_be_built_decides_the_verdict) {
  const Outcome broken = outcome(run("asks broken", "good"));
  EXPECT_EQ(std::get<DidNotCompile>(broken.verdict).log, "2: error");
  EXPECT_EQ(broken.provenance.reference_compiler, "fake 1");
  EXPECT_EQ(run("good", "asks broken").verdict, "reference_failed");
  EXPECT_EQ(run("good", "asks late").verdict, "timed_out");
}

TEST_F(DispatcherTest, kernel_that_always_asks_for_more_is_unsupported) {
  const Job job = run("asks_for_ever");
  EXPECT_EQ(job.verdict, "unsupported");
  EXPECT_THAT(reason_of(outcome(job).verdict), HasSubstr("another"));
  EXPECT_EQ(builder_.extension_builds, 8U);
  EXPECT_EQ(run("good", "asks_for_ever").verdict, "reference_failed");
}

TEST_F(DispatcherTest, device_is_free_while_an_extension_is_built) {
  options_.lanes_per_device = 2;
  builder_.on_build_extensions = [&] { EXPECT_EQ(run("good").verdict, "accepted"); };
  EXPECT_EQ(run("asks helper").verdict, "accepted");
}

TEST_F(DispatcherTest, time_of_every_build_and_evaluation_is_taken_from_the_budget) {
  builder_.on_build_extensions = [&] { clock_.advance(seconds(2)); };
  cpu_.on_begun = [&] { clock_.advance(seconds(1)); };
  EXPECT_EQ(run("asks helper").verdict, "accepted");
  EXPECT_LE(cpu_.budget.load(), seconds(2));  // of 5
}

TEST_F(DispatcherTest, job_is_cancelled_while_its_extension_is_built) {
  const JobId id = submit("asks slow_build");
  builder_.gate.await(1);
  EXPECT_EQ(state(id), building);
  EXPECT_TRUE(dispatcher().cancel(id));
  EXPECT_EQ(finished(id).state, cancelled);
  EXPECT_EQ(run("good").verdict, "accepted");
}

}  // namespace
}  // namespace assay::queue
