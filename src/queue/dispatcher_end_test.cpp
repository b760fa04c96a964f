// How jobs end before their time: cancelled, late, interrupted, or with the server.
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "model/ids.hpp"
#include "model/job.hpp"
#include "model/outcome.hpp"
#include "model/verdict.hpp"
#include "queue/dispatcher.hpp"
#include "queue/dispatcher_fixture.hpp"
#include "queue/fakes.hpp"
#include "store/job_store.hpp"

namespace assay::queue {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using enum JobState;

TimedOut timed_out(const Outcome& outcome) {
  return std::get<TimedOut>(outcome.verdict);
}

TEST_F(DispatcherTest, queued_job_is_cancelled_at_once) {
  options_.lanes_per_device = 1;
  until(submit("hang"), checking);
  const JobId id = submit("good");
  EXPECT_EQ(dispatcher().cancel(id).value(), cancelled);
  EXPECT_EQ(finished(id).state, cancelled);
  cpu_.gate.open();
  EXPECT_EQ(run("good").verdict, "accepted");
  EXPECT_EQ(dispatcher().snapshot().value().totals.cancelled, 1U);
}

TEST_F(DispatcherTest, running_job_is_cancelled_in_every_state) {
  const std::vector<std::pair<std::string, JobState>> cases = {
      {"slow_build", building}, {"hang", checking}, {"hang_timing", timing}};
  for (const auto& [candidate, at] : cases) {
    const JobId id = submit(candidate);
    until(id, at);
    EXPECT_EQ(dispatcher().cancel(id).value(), at);
    EXPECT_EQ(finished(id).state, cancelled) << to_string(at);
  }
  EXPECT_EQ(run("good").verdict, "accepted");
}

TEST_F(DispatcherTest, job_waiting_for_a_device_is_cancelled) {
  until(submit("hang"), checking);
  const JobId id = submit("good");
  until(id, waiting);
  EXPECT_EQ(dispatcher().cancel(id).value(), waiting);
  EXPECT_EQ(finished(id).state, cancelled);
  cpu_.gate.open();
}

TEST_F(DispatcherTest, ended_or_unknown_job_cannot_be_cancelled) {
  const Job job = run("good");
  // The lane lets go of a job a moment after its end is stored; cancelling then changes nothing.
  while (dispatcher().cancel(job.id)) std::this_thread::yield();
  EXPECT_EQ(dispatcher().cancel(job.id).error().code(), ErrorCode::conflict);
  EXPECT_EQ(dispatcher().cancel(JobId{"nobody"}).error().code(), ErrorCode::not_found);
  EXPECT_EQ(state(job.id), done);
}

// The alarm of another job makes the watchdog look at the clock, which was put forward.
TEST_F(DispatcherTest, build_that_ignores_its_deadline_is_stopped_and_times_out) {
  const JobId id = submit("slow_build");
  builder_.gate.await(1);
  clock_.advance(seconds(6));
  EXPECT_EQ(run("good").verdict, "accepted");
  const Job job = finished(id);
  EXPECT_EQ(timed_out(outcome(job)).phase, "building");
  EXPECT_EQ(timed_out(outcome(job)).limit, seconds(5));
}

TEST_F(DispatcherTest, work_on_the_device_that_ignores_its_budget_is_stopped_and_times_out) {
  const JobId id = submit("hang_timing");
  cpu_.gate.await(1);
  clock_.advance(seconds(6));
  EXPECT_EQ(run("good").verdict, "accepted") << "the device is free again";
  EXPECT_EQ(timed_out(outcome(finished(id))).phase, "timing");
}

TEST_F(DispatcherTest, time_of_the_build_is_taken_from_the_budget_of_the_device) {
  builder_.on_build = [&] { clock_.advance(seconds(3)); };
  EXPECT_EQ(run("good").verdict, "accepted");
  EXPECT_LE(cpu_.budget.load(), seconds(2));
}

TEST_F(DispatcherTest, time_to_prepare_for_builds_is_not_counted) {
  builder_.on_prepare = [&] { clock_.advance(seconds(60)); };
  EXPECT_EQ(run("good").verdict, "accepted");  // its timeout is 5
  EXPECT_GT(cpu_.budget.load(), seconds(4));
}

TEST_F(DispatcherTest, deadline_kept_by_builder_or_worker_has_the_limit_of_the_request) {
  const Job built = run("late");
  EXPECT_EQ(timed_out(outcome(built)).phase, "building");
  EXPECT_EQ(timed_out(outcome(built)).limit, seconds(5));
  const Job evaluated = run("overtime");
  EXPECT_EQ(timed_out(outcome(evaluated)).phase, "checking");
  EXPECT_EQ(timed_out(outcome(evaluated)).limit, seconds(5));
  EXPECT_EQ(run("good", "late").verdict, "timed_out");
}

TEST_F(DispatcherTest, time_waiting_for_a_device_is_not_counted) {
  const JobId first = submit("hang");
  until(first, checking);
  const JobId second = submit("good");
  until(second, waiting);
  clock_.advance(std::chrono::hours(1));
  cpu_.gate.open();
  EXPECT_EQ(finished(second).verdict, "accepted");
  EXPECT_GT(cpu_.budget.load(), seconds(4));
}

TEST_F(DispatcherTest, time_until_an_evaluation_begins_is_not_counted) {
  const JobId id = submit("slow_start");
  cpu_.gate.await(1);
  clock_.advance(seconds(60));  // its timeout is 5
  const JobId next = submit("good");
  until(next, waiting);
  EXPECT_EQ(state(id), checking);
  cpu_.gate.open();
  EXPECT_EQ(finished(id).verdict, "accepted");
  EXPECT_EQ(finished(id).attempts, 1);
}

TEST_F(DispatcherTest, evaluation_that_does_not_begin_for_minutes_is_repeated) {
  const JobId id = submit("slow_start");
  cpu_.gate.await(1);
  clock_.advance(std::chrono::minutes(4));
  run("broken");  // sets an alarm, so that the watchdog looks at the clock; needs no device
  cpu_.gate.await(2);
  cpu_.gate.open();
  EXPECT_EQ(finished(id).verdict, "accepted");
  EXPECT_EQ(finished(id).attempts, 2);
}

TEST_F(DispatcherTest, python_that_does_not_start_fails_its_jobs_and_leaves_the_device_in_service) {
  const Job job = run("no_python");
  EXPECT_EQ(job.state, failed);
  EXPECT_EQ(job.attempts, 3);
  EXPECT_EQ(error(job).message(), "given up after 3 attempts; the last: Python does not start");
  EXPECT_EQ(dispatcher().snapshot().value().devices[0].out_of_service, std::nullopt);
  EXPECT_EQ(run("good").verdict, "accepted");
}

TEST_F(DispatcherTest, attempt_cut_short_by_a_dying_worker_is_repeated) {
  const Job job = run("die_once");
  EXPECT_EQ(job.verdict, "accepted");
  EXPECT_EQ(job.attempts, 2);
  EXPECT_EQ(history(job.id), (std::vector<JobState>{queued, building, waiting, checking, queued,
                                                    building, waiting, checking, timing, done}));
  EXPECT_EQ(dispatcher().snapshot().value().totals.retried, 1U);
}

TEST_F(DispatcherTest, job_that_kills_its_worker_each_time_fails_with_the_reason) {
  const Job job = run("die");
  EXPECT_EQ(job.state, failed);
  EXPECT_EQ(job.attempts, 3);
  EXPECT_EQ(error(job).message(), "given up after 3 attempts; the last: the worker died");
}

TEST_F(DispatcherTest, deadly_jobs_let_the_others_through_between_their_attempts) {
  options_.lanes_per_device = 1;
  until(submit("hang"), checking);
  std::vector<JobId> jobs;
  for (const char* candidate : {"die", "good", "good"}) jobs.push_back(submit(candidate));
  cpu_.gate.open();
  for (const JobId& id : jobs) finished(id);
  EXPECT_EQ(cpu_.seen(), (std::vector<std::string>{"hang", "die", "good", "good", "die", "die"}));
}

TEST_F(DispatcherTest, drain_lets_running_jobs_end_and_leaves_queued_ones_stored) {
  options_.lanes_per_device = 1;
  const JobId running = submit("hang");
  until(running, checking);
  const JobId left = submit("good");
  std::jthread draining([&] { EXPECT_TRUE(dispatcher().drain(Deadline(clock_, seconds(60)))); });
  const store::NewJob refused{.body = body_of("good"), .device = DeviceId{"none"}};
  while (dispatcher().submit(refused).error().code() != ErrorCode::unavailable) {
    std::this_thread::yield();
  }
  cpu_.gate.open();
  draining.join();
  EXPECT_EQ(state(running), done);
  EXPECT_EQ(state(left), queued);
}

TEST_F(DispatcherTest, drain_past_its_deadline_gives_running_jobs_back_uncounted) {
  const JobId id = submit("hang");
  until(id, checking);
  EXPECT_FALSE(dispatcher().drain(Deadline(clock_, seconds(0))));
  EXPECT_EQ(state(id), queued);
  EXPECT_EQ(store_->get(id).value().attempts, 0);
}

TEST_F(DispatcherTest, jobs_of_a_stopped_dispatcher_are_ended_by_the_next) {
  const JobId running = submit("hang");
  until(running, checking);
  const JobId waiting_for_it = submit("good");
  dispatcher_.reset();
  EXPECT_EQ(state(running), queued);
  cpu_.gate.open();
  EXPECT_EQ(finished(running).verdict, "accepted");
  EXPECT_EQ(finished(waiting_for_it).verdict, "accepted");
}

TEST_F(DispatcherTest, what_a_killed_server_left_half_done_is_repeated) {
  const JobId id = store_->submit({.body = body_of("good")}).value().job.id;
  ASSERT_TRUE(store_->claim_next({.device = DeviceId{"cpu"}}));
  ASSERT_TRUE(store_->advance(id, JobStep::built));
  const Job job = finished(id);
  EXPECT_EQ(job.verdict, "accepted");
  EXPECT_EQ(job.attempts, 1) << "the death of the server is not the job's";
  const Totals totals = dispatcher().snapshot().value().totals;
  EXPECT_EQ(totals.retried, 1U);
  EXPECT_EQ(totals.failed, 0U);
}

TEST_F(DispatcherTest, what_a_killed_server_left_after_its_last_attempt_counts_as_failed) {
  const JobId id = store_->submit({.body = body_of("good")}).value().job.id;
  for (int attempt = 1; attempt <= store::JobStoreOptions{}.max_attempts; ++attempt) {
    ASSERT_TRUE(store_->claim_next({.device = DeviceId{"cpu"}}));
    if (attempt == store::JobStoreOptions{}.max_attempts) break;
    ASSERT_TRUE(store_->recover());
  }
  EXPECT_EQ(finished(id).state, failed);
  const Totals totals = dispatcher().snapshot().value().totals;
  EXPECT_EQ(totals.failed, 1U);
  EXPECT_EQ(totals.retried, 0U);
}

TEST_F(DispatcherTest, job_for_a_device_that_is_gone_fails_at_start) {
  const JobId id =
      store_->submit({.body = body_of("good"), .device = DeviceId{"cuda:0"}}).value().job.id;
  EXPECT_EQ(error(finished(id)).code(), ErrorCode::unavailable);
  EXPECT_EQ(dispatcher().snapshot().value().totals.failed, 1U);
}

}  // namespace
}  // namespace assay::queue
