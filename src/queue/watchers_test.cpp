#include "queue/watchers.hpp"

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <future>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/mutex.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "model/ids.hpp"
#include "model/job.hpp"
#include "queue/fakes.hpp"
#include "store/data_dir.hpp"
#include "store/job_store.hpp"

namespace assay::queue {
namespace {

/// Keeps what a subscription brought.
class Listener {
 public:
  EventsCallback callback() {
    return [this](const std::vector<JobEvent>& events, bool ended) {
      const MutexLock lock(mutex_);
      for (const JobEvent& event : events) sequences_.push_back(event.sequence);
      ended_ = ended;
      changed_.notify_all();
    };
  }
  std::vector<std::int64_t> until_ended() {
    const MutexLock lock(mutex_);
    changed_.wait(mutex_, [this] {
      mutex_.assert_held();
      return ended_;
    });
    return sequences_;
  }
  void until_count(std::size_t count) {
    const MutexLock lock(mutex_);
    changed_.wait(mutex_, [&] {
      mutex_.assert_held();
      return sequences_.size() >= count;
    });
  }

 private:
  Mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<std::int64_t> sequences_ ASSAY_GUARDED_BY(mutex_);
  bool ended_ ASSAY_GUARDED_BY(mutex_) = false;
};

class WatchersTest : public testing::Test {
 protected:
  JobId start_job() {
    const JobId id = store_->submit({.body = "{}"}).value().job.id;
    EXPECT_TRUE(store_->claim_next({.device = DeviceId{"cpu"}}));
    return id;
  }
  void step(const JobId& id, JobStep step) {
    watchers_.nudge(id, store_->advance(id, step).value().state);
  }
  void finish(const JobId& id) {
    watchers_.nudge(id, store_->finish(id, "accepted", "{}").value().state);
  }

  ManualClock clock_;
  TempDir temp_ = TempDir::create(std::filesystem::temp_directory_path(), "assay-watch-").value();
  store::DataDir dir_ = store::DataDir::open(temp_.path()).value();
  std::unique_ptr<store::JobStore> store_ = store::JobStore::open(dir_, clock_).value();
  Watchers watchers_{*store_, 2};
};

TEST_F(WatchersTest, subscription_brings_what_was_and_then_what_happens) {
  const JobId id = start_job();
  Listener listener;
  const auto subscription = watchers_.subscribe(id, 0, listener.callback()).value();
  listener.until_count(2);
  step(id, JobStep::built);
  step(id, JobStep::leased);
  finish(id);
  EXPECT_EQ(listener.until_ended(), (std::vector<std::int64_t>{1, 2, 3, 4, 5}));
}

TEST_F(WatchersTest, subscription_resumes_behind_the_sequence_given) {
  const JobId id = start_job();
  Listener listener;
  const auto subscription = watchers_.subscribe(id, 2, listener.callback()).value();
  step(id, JobStep::built);
  finish(id);
  EXPECT_EQ(listener.until_ended(), (std::vector<std::int64_t>{3, 4}));
}

TEST_F(WatchersTest, subscription_to_an_ended_job_ends_even_with_nothing_left_to_tell) {
  const JobId id = start_job();
  finish(id);
  Listener all;
  Listener none;
  const auto first = watchers_.subscribe(id, 0, all.callback()).value();
  const auto second = watchers_.subscribe(id, 3, none.callback()).value();
  EXPECT_EQ(all.until_ended(), (std::vector<std::int64_t>{1, 2, 3}));
  EXPECT_TRUE(none.until_ended().empty());
}

TEST_F(WatchersTest, no_event_is_missed_or_repeated_while_jobs_race_with_subscriptions) {
  for (int round = 0; round < 50; ++round) {
    const JobId id = start_job();
    Listener listener;
    std::optional<Subscription> subscription;
    std::jthread worker([&] {
      for (const JobStep each : {JobStep::built, JobStep::leased, JobStep::checked}) step(id, each);
      finish(id);
    });
    subscription = watchers_.subscribe(id, 0, listener.callback()).value();
    EXPECT_EQ(listener.until_ended(), (std::vector<std::int64_t>{1, 2, 3, 4, 5, 6}));
  }
}

TEST_F(WatchersTest, on_finished_is_called_once_with_the_result) {
  const JobId id = start_job();
  std::promise<Job> promise;
  const auto subscription =
      watchers_.on_finished(id, [&](const Result<Job>& job) { promise.set_value(job.value()); })
          .value();
  step(id, JobStep::built);
  finish(id);
  const Job job = promise.get_future().get();
  EXPECT_EQ(job.state, JobState::done);
  EXPECT_EQ(job.result, "{}");
  watchers_.nudge(id, JobState::done);  // a second call would throw from set_value
}

TEST_F(WatchersTest, on_finished_of_an_ended_job_is_called_too) {
  const JobId id = start_job();
  finish(id);
  std::promise<Job> promise;
  const auto subscription =
      watchers_.on_finished(id, [&](const Result<Job>& job) { promise.set_value(job.value()); })
          .value();
  EXPECT_EQ(promise.get_future().get().verdict, "accepted");
}

TEST_F(WatchersTest, unknown_job_cannot_be_watched) {
  const JobId nobody{"nobody"};
  EXPECT_EQ(watchers_.subscribe(nobody, 0, [](const auto&, bool) {}).error().code(),
            ErrorCode::not_found);
  EXPECT_EQ(watchers_.on_finished(nobody, [](const auto&) {}).error().code(), ErrorCode::not_found);
}

TEST_F(WatchersTest, slow_callback_holds_up_nobody_else) {
  const JobId id = start_job();
  Gate gate;
  const auto slow = watchers_.subscribe(id, 0, [&](const auto&, bool) { gate.pass({}); }).value();
  gate.await(1);
  Listener listener;
  const auto other = watchers_.subscribe(id, 0, listener.callback()).value();
  step(id, JobStep::built);
  finish(id);
  EXPECT_EQ(listener.until_ended().size(), 4U);
  gate.open();
}

TEST_F(WatchersTest, ended_subscription_is_not_called_again) {
  const JobId id = start_job();
  Listener listener;
  {
    std::size_t calls = 0;  // dies with the subscription
    std::promise<void> first;
    const auto subscription = watchers_
                                  .subscribe(id, 0,
                                             [&](const auto&, bool) {
                                               if (++calls == 1) first.set_value();
                                             })
                                  .value();
    first.get_future().get();
  }
  finish(id);
  const auto after = watchers_.subscribe(id, 0, listener.callback()).value();
  EXPECT_EQ(listener.until_ended().size(), 3U);
}

TEST_F(WatchersTest, subscription_may_end_within_its_own_callback) {
  const JobId id = start_job();
  std::promise<void> ended;
  Subscription subscription;
  Gate assigned;
  subscription = watchers_
                     .subscribe(id, 0,
                                [&](const auto&, bool) {
                                  assigned.pass({});
                                  subscription = Subscription();
                                  ended.set_value();
                                })
                     .value();
  assigned.open();
  ended.get_future().get();
}

}  // namespace
}  // namespace assay::queue
