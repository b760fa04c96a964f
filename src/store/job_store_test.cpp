#include "store/job_store.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/os.hpp"
#include "base/random.hpp"
#include "base/result.hpp"
#include "model/artifact.hpp"
#include "model/ids.hpp"
#include "model/job.hpp"
#include "model/request.hpp"
#include "store/data_dir.hpp"
#include "store/database.hpp"

namespace assay::store {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

const Claim kCpu{.device = DeviceId{"cpu"}};

class JobStoreTest : public testing::Test {
 protected:
  JobId submit(const NewJob& request = {.body = "{}"}) {
    return store_->submit(request).value().job.id;
  }
  Job claim(const Claim& claim = kCpu) {
    return store_->claim_next(claim).value().value_or(Job{.id = JobId{"none"}});
  }
  JobId claimed() { return claim().id; }
  Error error(const JobId& id) {
    return store_->get(id).value().error.value_or(Error(ErrorCode::not_found, "it has none"));
  }
  JobId finished() {
    submit();
    const JobId id = claimed();
    EXPECT_TRUE(store_->finish(id, "accepted", "{}"));
    return id;
  }
  JobState state(const JobId& id) { return store_->get(id).value().state; }
  void reopen(JobStoreOptions options = {}) {
    store_.reset();
    store_ = JobStore::open(dir_, clock_, options).value();
  }

  ManualClock clock_;
  TempDir temp_ = TempDir::create(std::filesystem::temp_directory_path(), "assay-jobs-").value();
  DataDir dir_ = DataDir::open(temp_.path()).value();
  std::unique_ptr<JobStore> store_ = JobStore::open(dir_, clock_).value();
};

TEST_F(JobStoreTest, keeps_a_submitted_job_as_it_came) {
  clock_.advance(milliseconds(1234));
  const std::string body(50'000, 'b');
  const auto submitted =
      store_->submit({.form = RequestForm::compare, .body = body, .priority = 4}).value();
  EXPECT_TRUE(submitted.created);
  reopen();
  const Job job = store_->get(submitted.job.id).value();
  EXPECT_EQ(job.form, RequestForm::compare);
  EXPECT_EQ(job.body, body);
  EXPECT_EQ(job.state, JobState::queued);
  EXPECT_EQ(job.priority, 4);
  EXPECT_EQ(job.attempts, 0);
  EXPECT_EQ(job.created, WallTime(milliseconds(1234)));
  EXPECT_FALSE(job.started || job.finished || job.verdict || job.result || job.error);
  EXPECT_EQ(store_->queued(), 1U);
}

TEST_F(JobStoreTest, unknown_job_is_not_found) {
  const JobId nobody{"nobody"};
  EXPECT_EQ(store_->get(nobody).error().code(), ErrorCode::not_found);
  EXPECT_EQ(store_->events(nobody).error().code(), ErrorCode::not_found);
  EXPECT_EQ(store_->advance(nobody, JobStep::cancel).error().code(), ErrorCode::not_found);
  EXPECT_EQ(store_->finish(nobody, "accepted", "{}").error().code(), ErrorCode::not_found);
  EXPECT_EQ(store_->fail(nobody, {ErrorCode::internal, "x"}).error().code(), ErrorCode::not_found);
  EXPECT_EQ(store_->interrupt(nobody, "x").error().code(), ErrorCode::not_found);
  EXPECT_EQ(store_->give_back(nobody, "x").error().code(), ErrorCode::not_found);
}

TEST_F(JobStoreTest, same_key_and_request_give_the_same_job) {
  const NewJob request{.body = "a", .idempotency_key = "k"};
  const auto first = store_->submit(request).value();
  const auto second = store_->submit(request, 0).value();  // even where the queue is full
  EXPECT_FALSE(second.created);
  EXPECT_EQ(second.job.id, first.job.id);
  EXPECT_EQ(second.job.body, "a");
  EXPECT_EQ(store_->queued(), 1U);
}

TEST_F(JobStoreTest, same_key_with_another_request_is_a_conflict) {
  ASSERT_TRUE(store_->submit({.body = "a", .idempotency_key = "k"}));
  EXPECT_EQ(store_->submit({.body = "b", .idempotency_key = "k"}).error().code(),
            ErrorCode::conflict);
  EXPECT_EQ(store_->submit({.form = RequestForm::compare, .body = "a", .idempotency_key = "k"})
                .error()
                .code(),
            ErrorCode::conflict);
}

TEST_F(JobStoreTest, repeated_key_brings_the_result_of_a_finished_job) {
  const NewJob request{.body = "a", .idempotency_key = "k"};
  const JobId id = submit(request);
  ASSERT_EQ(claimed(), id);
  ASSERT_TRUE(store_->finish(id, "accepted", "{\"r\":1}"));
  EXPECT_EQ(store_->submit(request).value().job.result, "{\"r\":1}");
}

TEST_F(JobStoreTest, full_queue_refuses_with_resource_exhausted) {
  submit();
  submit();
  EXPECT_EQ(store_->submit({.body = "{}"}, 2).error().code(), ErrorCode::resource_exhausted);
  claimed();
  EXPECT_TRUE(store_->submit({.body = "{}"}, 2));
}

TEST_F(JobStoreTest, claims_by_priority_then_by_arrival) {
  const JobId low = submit({.body = "{}", .priority = -1});
  const JobId first = submit();
  const JobId second = submit();
  const JobId high = submit({.body = "{}", .priority = 1});
  EXPECT_EQ(claimed(), high);
  EXPECT_EQ(claimed(), first);
  EXPECT_EQ(claimed(), second);
  EXPECT_EQ(claimed(), low);
  EXPECT_EQ(store_->claim_next(kCpu).value(), std::nullopt);
}

TEST_F(JobStoreTest, claims_only_what_the_device_may_run) {
  const JobId pinned = submit({.body = "{}", .device = DeviceId{"cuda:0"}});
  EXPECT_EQ(store_->claim_next(kCpu).value(), std::nullopt);
  const JobId any = submit();
  const DeviceId gpu{"cuda:0"};
  EXPECT_EQ(claim({.device = gpu, .only_pinned = true}).id, pinned);
  EXPECT_EQ(store_->claim_next({.device = gpu, .only_pinned = true}).value(), std::nullopt);
  EXPECT_EQ(claimed(), any);
}

TEST_F(JobStoreTest, owners_take_turns_however_many_jobs_one_has) {
  std::vector<JobId> greedy;
  for (int i = 0; i < 4; ++i) greedy.push_back(submit({.body = "{}", .owner = "greedy"}));
  EXPECT_EQ(claimed(), greedy[0]);
  const JobId modest = submit({.body = "{}", .owner = "modest"});
  const JobId nobody = submit();
  EXPECT_EQ(claimed(), greedy[1]) << "it came first";
  EXPECT_EQ(claimed(), modest);
  EXPECT_EQ(claimed(), nobody);
  const JobId again = submit({.body = "{}", .owner = "modest"});
  reopen();
  EXPECT_EQ(claimed(), greedy[2]);
  EXPECT_EQ(claimed(), again);
  EXPECT_EQ(claimed(), greedy[3]);
}

TEST_F(JobStoreTest, owner_finds_own_jobs_and_counts_those_that_have_not_ended) {
  const JobId mine = submit({.body = "{}", .owner = "me"});
  submit({.body = "{}", .owner = "other"});
  submit();
  EXPECT_EQ(store_->get(mine).value().owner, "me");
  const auto page = store_->list({.owner = "me"}, std::nullopt, 10).value();
  ASSERT_EQ(page.jobs.size(), 1U);
  EXPECT_EQ(page.jobs[0].id, mine);
  EXPECT_EQ(store_->unfinished("me").value(), 1U);
  ASSERT_TRUE(store_->advance(mine, JobStep::cancel));
  EXPECT_EQ(store_->unfinished("me").value(), 0U);
  EXPECT_EQ(store_->unfinished("nobody").value(), 0U);
}

TEST_F(JobStoreTest, two_owners_may_use_one_key) {
  const NewJob mine{.body = "{}", .idempotency_key = "k", .owner = "me"};
  const NewJob other{.body = "[]", .idempotency_key = "k", .owner = "other"};
  EXPECT_TRUE(store_->submit(mine).value().created);
  EXPECT_TRUE(store_->submit(other).value().created);
  EXPECT_FALSE(store_->submit(mine).value().created);
}

TEST_F(JobStoreTest, use_of_devices_is_kept_by_owner) {
  const JobId mine = submit({.body = "{}", .owner = "me"});
  ASSERT_TRUE(store_->charge(mine, milliseconds(1500)));
  ASSERT_TRUE(store_->charge(mine, milliseconds(500)));
  ASSERT_TRUE(store_->charge(submit(), milliseconds(500)));
  const auto uses = store_->device_use(WallTime(milliseconds(-1))).value();
  ASSERT_EQ(uses.size(), 1U);
  EXPECT_EQ(uses[0].owner, "me");
  EXPECT_EQ(uses[0].time, milliseconds(2000));
  EXPECT_TRUE(store_->device_use(clock_.wall_now() + hours(1)).value().empty());
}

TEST_F(JobStoreTest, claim_starts_an_attempt) {
  submit({.body = "the body"});
  clock_.advance(milliseconds(5));
  const Job job = claim();
  EXPECT_EQ(job.state, JobState::building);
  EXPECT_EQ(job.attempts, 1);
  EXPECT_EQ(job.started, WallTime(milliseconds(5)));
  EXPECT_EQ(job.body, "the body");
  EXPECT_EQ(store_->get(job.id).value().attempts, 1);
  EXPECT_EQ(store_->queued(), 0U);
}

TEST_F(JobStoreTest, history_has_every_step_in_order_without_holes) {
  const JobId id = submit();
  claimed();
  for (const JobStep step : {JobStep::built, JobStep::leased, JobStep::checked}) {
    clock_.advance(milliseconds(10));
    ASSERT_TRUE(store_->advance(id, step, "why"));
  }
  ASSERT_TRUE(store_->finish(id, "accepted", "{}", "well"));
  const auto events = store_->events(id).value();
  ASSERT_EQ(events.size(), 6U);
  const std::vector<JobState> states = {JobState::queued,   JobState::building, JobState::waiting,
                                        JobState::checking, JobState::timing,   JobState::done};
  std::vector<JobState> seen;
  seen.reserve(events.size());
  for (const JobEvent& event : events) {
    seen.push_back(event.state);
    EXPECT_EQ(event.sequence, static_cast<std::int64_t>(seen.size()));
  }
  EXPECT_EQ(seen, states);
  EXPECT_EQ(events[4].at, WallTime(milliseconds(30)));
  EXPECT_EQ(events[3].detail, "why");
  EXPECT_EQ(events[5].detail, "well");
  EXPECT_EQ(store_->events(id, 4).value().size(), 2U);
  EXPECT_TRUE(store_->events(id, 6).value().empty());
}

TEST_F(JobStoreTest, step_that_the_state_forbids_is_a_conflict_and_leaves_no_trace) {
  const JobId id = submit();
  EXPECT_EQ(store_->advance(id, JobStep::checked).error().code(), ErrorCode::conflict);
  EXPECT_EQ(store_->finish(id, "accepted", "{}").error().code(), ErrorCode::conflict);
  EXPECT_EQ(store_->interrupt(id, "x").error().code(), ErrorCode::conflict);
  EXPECT_EQ(store_->events(id).value().size(), 1U);
  EXPECT_EQ(store_->get(id).value().result, std::nullopt);
}

TEST_F(JobStoreTest, step_that_needs_more_is_an_invalid_argument) {
  const JobId id = submit();
  for (const JobStep step : {JobStep::finish, JobStep::fail, JobStep::interrupt}) {
    EXPECT_EQ(store_->advance(id, step).error().code(), ErrorCode::invalid_argument);
  }
}

TEST_F(JobStoreTest, job_ends_exactly_once) {
  const JobId id = finished();
  EXPECT_EQ(store_->finish(id, "crashed", "{\"second\":1}").error().code(), ErrorCode::conflict);
  EXPECT_EQ(store_->fail(id, {ErrorCode::internal, "x"}).error().code(), ErrorCode::conflict);
  EXPECT_EQ(store_->advance(id, JobStep::cancel).error().code(), ErrorCode::conflict);
  const Job job = store_->get(id).value();
  EXPECT_EQ(job.verdict, "accepted");
  EXPECT_EQ(job.result, "{}");
}

TEST_F(JobStoreTest, failure_keeps_its_code_and_reason) {
  const JobId id = submit();
  ASSERT_TRUE(store_->fail(id, {ErrorCode::deadline_exceeded, "the disk slept"}));
  const Job job = store_->get(id).value();
  EXPECT_EQ(job.state, JobState::failed);
  EXPECT_EQ(error(id).code(), ErrorCode::deadline_exceeded);
  EXPECT_EQ(error(id).message(), "the disk slept");
  EXPECT_TRUE(job.finished);
  EXPECT_EQ(store_->queued(), 0U);
}

TEST_F(JobStoreTest, interrupted_job_goes_behind_those_that_wait) {
  const JobId bad = submit();
  const JobId good = submit();
  ASSERT_EQ(claimed(), bad);
  EXPECT_TRUE(store_->interrupt(bad, "the worker died").value().requeued);
  EXPECT_EQ(store_->queued(), 2U);
  const JobId later = submit();
  EXPECT_EQ(claimed(), good);
  EXPECT_EQ(claimed(), bad);
  EXPECT_EQ(claimed(), later);
}

TEST_F(JobStoreTest, interrupted_too_often_fails_with_the_reason) {
  reopen({.max_attempts = 2});
  const JobId id = submit();
  claimed();
  ASSERT_TRUE(store_->interrupt(id, "first death").value().requeued);
  claimed();
  EXPECT_FALSE(store_->interrupt(id, "second death").value().requeued);
  EXPECT_EQ(state(id), JobState::failed);
  EXPECT_EQ(error(id).code(), ErrorCode::unavailable);
  EXPECT_EQ(error(id).message(), "given up after 2 attempts; the last: second death");
}

TEST_F(JobStoreTest, given_back_keeps_its_place_and_its_attempts) {
  const JobId id = submit();
  submit();
  ASSERT_EQ(claimed(), id);
  ASSERT_TRUE(store_->give_back(id, "shutting down"));
  EXPECT_EQ(store_->get(id).value().attempts, 0);
  EXPECT_EQ(store_->queued(), 2U);
  EXPECT_EQ(claimed(), id);
}

TEST_F(JobStoreTest, recovery_requeues_what_was_being_worked_on) {
  const JobId building = submit();
  const JobId timing = submit();
  const JobId waiting_in_line = submit();
  const JobId done = submit();
  for (int i = 0; i < 2; ++i) claimed();
  for (const JobStep step : {JobStep::built, JobStep::leased, JobStep::checked}) {
    ASSERT_TRUE(store_->advance(timing, step));
  }
  ASSERT_TRUE(store_->advance(done, JobStep::cancel));
  reopen();
  const Recovery recovery = store_->recover().value();
  EXPECT_EQ(recovery.requeued, 2U);
  EXPECT_EQ(recovery.failed, 0U);
  for (const JobId& id : {building, timing, waiting_in_line}) {
    EXPECT_EQ(state(id), JobState::queued);
  }
  EXPECT_EQ(state(done), JobState::cancelled);
  EXPECT_EQ(store_->queued(), 3U);
  EXPECT_EQ(store_->events(timing).value().back().detail,
            "the server stopped while the job was timing");
}

TEST_F(JobStoreTest, death_of_the_server_does_not_count_against_the_jobs_it_worked_on) {
  const std::vector<JobId> jobs = {submit(), submit()};
  for (int death = 1; death <= 8; ++death) {
    for (int i = 0; i < 2; ++i) claimed();
    reopen();
    EXPECT_EQ(store_->recover().value().requeued, 2U) << "death " << death;
  }
  for (const JobId& id : jobs) {
    EXPECT_EQ(state(id), JobState::queued);
    EXPECT_EQ(store_->get(id).value().attempts, 0);
  }
}

TEST_F(JobStoreTest, deaths_over_one_job_alone_count_only_in_a_row) {
  const JobId suspect = submit();
  for (int death = 1; death <= 2; ++death) {
    ASSERT_EQ(claimed(), suspect);
    reopen();
    ASSERT_TRUE(store_->recover());
  }
  const JobId other = submit();  // two lanes were at work when it died this time
  for (int i = 0; i < 2; ++i) claimed();
  reopen();
  ASSERT_TRUE(store_->recover());
  ASSERT_TRUE(store_->advance(other, JobStep::cancel));
  ASSERT_EQ(claimed(), suspect);
  reopen();
  EXPECT_EQ(store_->recover().value().requeued, 1U) << "the first of a new row";
}

TEST_F(JobStoreTest, job_over_which_alone_the_server_dies_again_and_again_fails) {
  const JobId id = submit();
  for (int attempt = 1; attempt <= 3; ++attempt) {
    ASSERT_EQ(state(id), JobState::queued);
    claimed();
    reopen();
    ASSERT_TRUE(store_->recover());
  }
  EXPECT_EQ(state(id), JobState::failed);
  EXPECT_NE(error(id).message().find("3 times in a row"), std::string::npos);
  EXPECT_EQ(store_->recover().value().requeued, 0U);
}

TEST_F(JobStoreTest, job_for_a_device_that_is_gone_fails_with_the_reason) {
  const JobId pinned = submit({.body = "{}", .device = DeviceId{"cuda:7"}});
  const JobId any = submit();
  const JobId here = submit({.body = "{}", .device = DeviceId{"cpu"}});
  EXPECT_EQ(store_->fail_stranded({DeviceId{"cpu"}}).value(), 1U);
  EXPECT_EQ(error(pinned).message(), "this server has no device cuda:7");
  EXPECT_EQ(state(any), JobState::queued);
  EXPECT_EQ(state(here), JobState::queued);
  EXPECT_EQ(store_->queued(), 2U);
}

TEST_F(JobStoreTest, pages_go_from_the_newest_without_holes_while_jobs_arrive) {
  std::vector<JobId> submitted;
  submitted.reserve(7);
  for (int i = 0; i < 7; ++i) submitted.push_back(submit());
  std::vector<JobId> listed;
  std::optional<Cursor> cursor;
  do {
    const Page page = store_->list({}, cursor, 3).value();
    for (const Job& job : page.jobs) listed.push_back(job.id);
    cursor = page.next;
    submit();
  } while (cursor);
  EXPECT_EQ(listed, std::vector<JobId>(submitted.rbegin(), submitted.rend()));
}

TEST_F(JobStoreTest, last_page_has_no_next_even_when_it_is_full) {
  submit();
  submit();
  EXPECT_FALSE(store_->list({}, std::nullopt, 2).value().next);
}

TEST_F(JobStoreTest, lists_by_state_verdict_and_time) {
  const JobId accepted = finished();
  clock_.advance(milliseconds(100));
  const JobId waiting = submit();
  const auto only = [&](const JobFilter& filter) {
    const Page page = store_->list(filter, std::nullopt, 10).value();
    return page.jobs.size() == 1 ? page.jobs.front().id : JobId{"not one"};
  };
  EXPECT_EQ(only({.states = {JobState::done, JobState::failed}}), accepted);
  EXPECT_EQ(only({.states = {JobState::queued}}), waiting);
  EXPECT_EQ(only({.states = {JobState::queued, JobState::queued}}), waiting);
  EXPECT_EQ(only({.verdicts = {"accepted", "crashed"}}), accepted);
  EXPECT_EQ(only({.created_after = WallTime(milliseconds(50))}), waiting);
  EXPECT_EQ(only({.created_before = WallTime(milliseconds(50))}), accepted);
  EXPECT_TRUE(store_->list({.verdicts = {"tampered"}}, std::nullopt, 10).value().jobs.empty());
}

TEST_F(JobStoreTest, counts_by_state_and_verdict) {
  finished();
  clock_.advance(milliseconds(300));
  submit();
  const JobCounts counts = store_->counts().value();
  EXPECT_EQ(counts.by_state,
            (std::map<JobState, std::uint64_t>{{JobState::queued, 1}, {JobState::done, 1}}));
  EXPECT_EQ(counts.by_verdict, (std::map<std::string, std::uint64_t>{{"accepted", 1}}));
  EXPECT_EQ(counts.oldest_queued, WallTime(milliseconds(300)));
  EXPECT_EQ(counts.mean_created, WallTime(milliseconds(150)));
}

TEST_F(JobStoreTest, empty_store_counts_nothing) {
  const JobCounts counts = store_->counts().value();
  EXPECT_TRUE(counts.by_state.empty() && counts.by_verdict.empty());
  EXPECT_FALSE(counts.oldest_queued || counts.mean_created);
}

TEST_F(JobStoreTest, artifacts_are_kept_with_the_result_and_forgotten_with_the_job) {
  submit();
  const JobId id = claimed();
  const std::vector<Artifact> artifacts = {{.name = "candidate.ptx", .bytes = 4, .text = "ret;"},
                                           {.name = "candidate.sass", .absent = "no tool"}};
  ASSERT_TRUE(store_->finish(id, "accepted", "{}", "", artifacts));
  reopen();
  EXPECT_EQ(store_->artifact(id, "candidate.ptx").value(), "ret;");
  EXPECT_EQ(store_->artifact(id, "candidate.sass").error().code(), ErrorCode::not_found);
  EXPECT_EQ(store_->artifact(JobId{"nobody"}, "candidate.ptx").error().code(),
            ErrorCode::not_found);
  clock_.advance(hours(2));
  EXPECT_EQ(store_->sweep(hours(1), 100).value(), 1U);
  EXPECT_EQ(store_->artifact(id, "candidate.ptx").error().code(), ErrorCode::not_found);
}

TEST_F(JobStoreTest, sweep_forgets_the_old_and_leaves_the_unfinished) {
  const JobId old = finished();
  const JobId waiting = submit();
  clock_.advance(hours(2));
  EXPECT_EQ(store_->sweep(hours(1), 100).value(), 1U);
  EXPECT_EQ(store_->get(old).error().code(), ErrorCode::not_found);
  EXPECT_EQ(store_->events(old).error().code(), ErrorCode::not_found);
  EXPECT_EQ(state(waiting), JobState::queued);
}

TEST_F(JobStoreTest, sweep_without_a_bound_on_the_count_goes_by_age_alone) {
  const JobId recent = finished();
  EXPECT_EQ(store_->sweep(hours(1), std::numeric_limits<std::size_t>::max()).value(), 0U);
  EXPECT_EQ(state(recent), JobState::done);
}

TEST_F(JobStoreTest, sweep_keeps_the_newest_of_many_finished_at_once) {
  std::vector<JobId> jobs;
  jobs.reserve(600);
  for (int i = 0; i < 600; ++i) jobs.push_back(finished());
  EXPECT_EQ(store_->sweep(hours(1), 10).value(), 590U);
  EXPECT_FALSE(store_->get(jobs[589]));
  EXPECT_TRUE(store_->get(jobs[590]));
  EXPECT_EQ(store_->sweep(hours(1), 0).value(), 10U);
}

TEST_F(JobStoreTest, sweep_by_bytes_forgets_the_oldest_and_gives_the_disk_its_room_back) {
  for (int i = 0; i < 64; ++i) {
    submit({.body = random_hex(100'000)});
    ASSERT_TRUE(store_->finish(claimed(), "accepted", "{}"));
    clock_.advance(milliseconds(1));
  }
  const JobId waiting = submit();
  const std::uint64_t held = store_->bytes_held().value();
  ASSERT_GT(held, 3'000'000U);
  const std::size_t swept = store_->sweep(hours(1000), 1000, held / 2).value();
  EXPECT_GT(swept, 10U);
  EXPECT_LT(swept, 64U);
  EXPECT_LE(store_->bytes_held().value(), held / 2);
  EXPECT_EQ(state(waiting), JobState::queued);
  reopen();  // closes the log into the file
  EXPECT_LT(std::filesystem::file_size(dir_.database()), held * 2 / 3);
}

TEST_F(JobStoreTest, full_store_refuses_and_works_again_when_there_is_room) {
  reopen({.max_bytes = 1 << 20});
  const std::string result = random_hex(400'000);  // some 200 kB as they lie there
  JobId last{"none"};
  Result<JobEvent> end;
  do {
    last = submit();
    claimed();
    end = store_->finish(last, "accepted", result);
  } while (end);
  EXPECT_EQ(end.error().code(), ErrorCode::resource_exhausted);
  EXPECT_EQ(state(last), JobState::building) << "half of an end is none";
  EXPECT_EQ(store_->submit({.body = result}).error().code(), ErrorCode::resource_exhausted);
  ASSERT_GT(store_->sweep(milliseconds(-1), 1000).value(), 0U);
  EXPECT_TRUE(store_->finish(last, "accepted", result));
}

TEST_F(JobStoreTest, job_that_would_leave_too_little_of_the_disk_is_told_so) {
  EXPECT_TRUE(store_->check_room(1));
  reopen({.keep_free = UINT64_MAX / 2});
  EXPECT_EQ(store_->check_room(1).error().code(), ErrorCode::resource_exhausted);
  reopen({.max_bytes = 1 << 20});
  EXPECT_TRUE(store_->check_room(1));
  EXPECT_EQ(store_->check_room(1 << 20).error().code(), ErrorCode::resource_exhausted);
}

TEST_F(JobStoreTest, sweep_leaves_nothing_of_a_job_behind) {
  finished();
  ASSERT_EQ(store_->sweep(hours(1), 0).value(), 1U);
  store_.reset();
  auto database = Database::open(dir_.database(), Database::Mode::read_write).value();
  for (const char* table : {"jobs", "events", "bodies", "results"}) {
    Statement query = database.statement(std::string("SELECT count(*) FROM ") + table);
    ASSERT_TRUE(query.step().value());
    EXPECT_EQ(query.integer(0), 0) << table;
  }
}

TEST_F(JobStoreTest, file_of_a_newer_program_is_refused) {
  store_.reset();
  auto database = Database::open(dir_.database(), Database::Mode::read_write).value();
  ASSERT_TRUE(database.execute("INSERT INTO migrations VALUES (999, 'future', 0)"));
  EXPECT_EQ(JobStore::open(dir_, clock_).error().code(), ErrorCode::conflict);
}

TEST_F(JobStoreTest, threads_never_claim_the_same_job) {
  constexpr int kJobs = 200;
  for (int i = 0; i < kJobs; ++i) submit();
  std::vector<std::vector<JobId>> taken(4);
  {
    std::vector<std::jthread> threads;
    threads.reserve(taken.size());
    for (auto& mine : taken) {
      threads.emplace_back([&] {
        while (auto job = store_->claim_next(kCpu).value()) {
          ASSERT_TRUE(store_->finish(job->id, "accepted", "{}"));
          ASSERT_EQ(store_->get(job->id).value().state, JobState::done);
          mine.push_back(job->id);
        }
      });
    }
  }
  std::set<JobId> distinct;
  std::size_t total = 0;
  for (const auto& mine : taken) {
    total += mine.size();
    distinct.insert(mine.begin(), mine.end());
  }
  EXPECT_EQ(total, static_cast<std::size_t>(kJobs));
  EXPECT_EQ(distinct.size(), total);
}

TEST_F(JobStoreTest, waiting_for_the_disk_changes_nothing_but_the_time) {
  reopen({.survive_power_loss = true});
  EXPECT_EQ(state(finished()), JobState::done);
}

}  // namespace
}  // namespace assay::store
