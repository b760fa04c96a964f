#include "queue/dispatcher.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "model/ids.hpp"
#include "model/job.hpp"
#include "model/outcome.hpp"
#include "queue/dispatcher_fixture.hpp"
#include "queue/fakes.hpp"
#include "store/job_store.hpp"

namespace assay::queue {
namespace {

using std::chrono::seconds;
using enum JobState;

TEST_F(DispatcherTest, brings_a_job_through_every_state_to_its_verdict) {
  const Job job = run("good", "good");
  EXPECT_EQ(job.state, done);
  EXPECT_EQ(job.verdict, "accepted");
  EXPECT_EQ(history(job.id),
            (std::vector<JobState>{queued, building, waiting, checking, timing, done}));
  const Provenance provenance = outcome(job).provenance;
  EXPECT_EQ(provenance.device, DeviceId{"cpu"});
  EXPECT_EQ(provenance.candidate_compiler, "fake 1");
  EXPECT_EQ(provenance.candidate_build_log, "a warning about good");
  EXPECT_EQ(provenance.reference_build_log, "a warning about good");
  EXPECT_TRUE(provenance.reference_cache_hit);
}

TEST_F(DispatcherTest, candidate_that_does_not_compile_never_reaches_the_device) {
  const Job job = run("broken", "good");
  EXPECT_EQ(job.verdict, "did_not_compile");
  EXPECT_EQ(history(job.id), (std::vector<JobState>{queued, building, done}));
  EXPECT_TRUE(cpu_.seen().empty());
  EXPECT_EQ(outcome(job).provenance.assay_version, "test");
}

TEST_F(DispatcherTest, times_on_a_gpu_say_whether_its_clocks_were_locked) {
  cpu_.be_a_gpu(/*clocks_locked=*/true);
  const Outcome locked = outcome(run("good", "good"));
  EXPECT_EQ(locked.candidate_timing.value().clocks_locked, true);
  EXPECT_EQ(locked.reference_timing.value().clocks_locked, true);
}

TEST_F(DispatcherTest, times_on_the_processor_say_nothing_of_clocks) {
  EXPECT_EQ(outcome(run("good", "good")).candidate_timing.value().clocks_locked, std::nullopt);
}

TEST_F(DispatcherTest, artifacts_are_stored_under_the_kernels_names) {
  const std::string kernel = R"({"source_code":"good","kernel_type":"cuda","io":{"args":[]}})";
  const Job job = finished(submit({.body = R"({"reference":)" + kernel + R"(,"candidate":)" +
                                           kernel + R"(,"artifacts":["ptx","sass"]})"}));
  ASSERT_EQ(job.verdict, "accepted");
  const auto artifacts = outcome(job).artifacts;
  ASSERT_EQ(artifacts.size(), 4U);
  EXPECT_EQ(artifacts[0].name, "reference.ptx");
  EXPECT_EQ(artifacts[2].name, "candidate.ptx");
  EXPECT_EQ(artifacts[2].bytes, 4U);
  EXPECT_EQ(artifacts[3].name, "candidate.sass");
  EXPECT_TRUE(artifacts[3].absent);
  EXPECT_EQ(store_->artifact(job.id, "candidate.ptx").value(), "ret;");
  EXPECT_FALSE(store_->artifact(job.id, "candidate.sass"));
}

TEST_F(DispatcherTest, verdict_says_what_became_of_the_candidate_or_of_the_reference) {
  EXPECT_EQ(run("unsupported").verdict, "unsupported");
  EXPECT_EQ(run("crash").verdict, "crashed");
  EXPECT_EQ(run("good", "broken").verdict, "reference_failed");
  EXPECT_EQ(run("broken", "broken").verdict, "reference_failed");
}

TEST_F(DispatcherTest, our_own_failure_fails_the_job_with_its_reason) {
  for (const char* candidate : {"no_compiler", "fail"}) {
    const Job job = run(candidate);
    EXPECT_EQ(job.state, failed);
    EXPECT_EQ(error(job).code(), ErrorCode::internal);
  }
}

TEST_F(DispatcherTest, worker_that_takes_a_step_out_of_turn_fails_the_job) {
  const Job job = run("skips");
  EXPECT_EQ(job.state, failed);
  EXPECT_EQ(error(job).code(), ErrorCode::conflict);
}

TEST_F(DispatcherTest, stored_request_that_cannot_be_read_fails_the_job) {
  const Job job = finished(submit(store::NewJob{.body = "not json"}));
  EXPECT_EQ(job.state, failed);
  EXPECT_EQ(error(job).code(), ErrorCode::invalid_argument);
}

TEST_F(DispatcherTest, same_idempotency_key_gives_the_same_job) {
  const store::NewJob request{.body = body_of("good"), .idempotency_key = "k"};
  const JobId id = submit(request);
  finished(id);
  const auto again = dispatcher().submit(request).value();
  EXPECT_FALSE(again.created);
  EXPECT_EQ(again.job.id, id);
  EXPECT_EQ(again.job.verdict, "accepted");
  EXPECT_EQ(cpu_.seen().size(), 1U);
}

TEST_F(DispatcherTest, unknown_device_is_refused) {
  EXPECT_EQ(
      dispatcher().submit({.body = body_of("good"), .device = DeviceId{"cuda:9"}}).error().code(),
      ErrorCode::invalid_argument);
}

TEST_F(DispatcherTest, full_queue_refuses_and_says_when_to_come_back) {
  options_.max_queued = 1;
  options_.lanes_per_device = 1;
  const JobId running = submit("hang");
  until(running, checking);
  const JobId waiting_in_line = submit("good");
  const auto refused = dispatcher().submit({.body = body_of("good")});
  EXPECT_EQ(refused.error().code(), ErrorCode::resource_exhausted);
  EXPECT_GE(dispatcher().retry_after(), seconds(1));
  EXPECT_EQ(dispatcher().snapshot().value().totals.rejected, 1U);
  cpu_.gate.open();
  EXPECT_EQ(finished(waiting_in_line).verdict, "accepted");
  EXPECT_TRUE(dispatcher().submit({.body = body_of("good")}));
}

TEST_F(DispatcherTest, higher_priority_goes_first_then_the_oldest) {
  options_.lanes_per_device = 1;
  until(submit("hang"), checking);
  std::vector<JobId> jobs;
  for (const auto& [name, priority] :
       std::vector<std::pair<std::string, int>>{{"a", 0}, {"b", 0}, {"c", 5}, {"d", -5}}) {
    jobs.push_back(submit(store::NewJob{.body = body_of(name), .priority = priority}));
  }
  cpu_.gate.open();
  for (const JobId& id : jobs) finished(id);
  EXPECT_EQ(cpu_.seen(), (std::vector<std::string>{"hang", "c", "a", "b", "d"}));
}

TEST_F(DispatcherTest, next_job_builds_while_the_device_is_held) {
  const JobId running = submit("hang");
  until(running, checking);
  const JobId next = submit("good");
  until(next, waiting);
  EXPECT_EQ(state(running), checking);
  cpu_.gate.open();
  EXPECT_EQ(finished(next).verdict, "accepted");
}

TEST_F(DispatcherTest, two_devices_share_the_jobs_that_may_run_anywhere) {
  two_devices_ = true;
  submit("hang");
  submit("hang");
  cpu_.gate.await(1);  // for ever, if one device had taken both
  gpu_.gate.await(1);
  cpu_.gate.open();
  gpu_.gate.open();
}

TEST_F(DispatcherTest, job_runs_on_the_device_it_asks_for) {
  two_devices_ = true;
  for (int i = 0; i < 3; ++i) {
    const JobId id = submit(store::NewJob{.body = body_of("good"), .device = DeviceId{"cuda:0"}});
    EXPECT_EQ(finished(id).verdict, "accepted");
  }
  EXPECT_EQ(gpu_.seen().size(), 3U);
  EXPECT_TRUE(cpu_.seen().empty());
}

TEST_F(DispatcherTest, busy_device_does_not_hold_up_jobs_for_the_other) {
  two_devices_ = true;
  for (int i = 0; i < 5; ++i) {
    submit(store::NewJob{.body = body_of("hang"), .device = DeviceId{"cuda:0"}});
  }
  gpu_.gate.await(1);
  const JobId other = submit(store::NewJob{.body = body_of("good"), .device = DeviceId{"cpu"}});
  EXPECT_EQ(finished(other).verdict, "accepted");
  gpu_.gate.open();
}

TEST_F(DispatcherTest, snapshot_tells_what_happened) {
  run("good");
  run("crash");
  run("fail");
  until_counted(3);
  const Snapshot snapshot = dispatcher().snapshot().value();
  EXPECT_EQ(snapshot.jobs.by_state, (std::map<JobState, std::uint64_t>{{done, 2}, {failed, 1}}));
  EXPECT_EQ(snapshot.totals.submitted, 3U);
  EXPECT_EQ(snapshot.totals.done, 2U);
  EXPECT_EQ(snapshot.totals.failed, 1U);
  EXPECT_EQ(snapshot.totals.verdicts,
            (std::map<std::string, std::uint64_t>{{"accepted", 1}, {"crashed", 1}}));
  EXPECT_FALSE(snapshot.oldest_queued);
}

TEST_F(DispatcherTest, snapshot_tells_where_the_time_went) {
  run("good");
  run("crash");
  const Snapshot snapshot = dispatcher().snapshot().value();
  EXPECT_EQ(snapshot.totals.phases.at(building).count, 2U);
  EXPECT_EQ(snapshot.totals.phases.at(checking).count, 2U);
  EXPECT_EQ(snapshot.totals.phases.at(timing).count, 1U);
  EXPECT_EQ(snapshot.builds.builds, 2U);
  EXPECT_EQ(snapshot.devices.at(0).leases, 2U);
}

TEST_F(DispatcherTest, finished_jobs_are_forgotten_by_count) {
  options_.keep_count = 2;
  options_.sweep_every = std::chrono::milliseconds(1);
  for (int i = 0; i < 4; ++i) submit("good");
  const std::map<JobState, std::uint64_t> two_are_left = {{done, 2}};
  while (store_->counts().value().by_state != two_are_left) std::this_thread::yield();
}

TEST_F(DispatcherTest, names_its_devices) {
  two_devices_ = true;
  ASSERT_EQ(dispatcher().devices().size(), 2U);
  EXPECT_EQ(dispatcher().devices()[1].id, DeviceId{"cuda:0"});
}

}  // namespace
}  // namespace assay::queue
