#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <thread>
#include <vector>

#include "base/mutex.hpp"
#include "base/result.hpp"
#include "model/ids.hpp"
#include "model/job.hpp"
#include "store/job_store.hpp"

namespace assay::queue {

class Watchers;
struct Watch;

/// Keeps a callback alive. Once this is destroyed, the callback does not run any more. Destroying
/// it waits for a call in progress, except from within that call, as std::stop_callback does.
class [[nodiscard]] Subscription {
 public:
  Subscription() = default;
  Subscription(Subscription&& other) noexcept;
  Subscription& operator=(Subscription&& other) noexcept;
  Subscription(const Subscription&) = delete;
  Subscription& operator=(const Subscription&) = delete;
  ~Subscription();

 private:
  friend class Watchers;
  Subscription(Watchers& watchers, std::shared_ptr<Watch> watch);
  void end();

  Watchers* watchers_ = nullptr;
  std::shared_ptr<Watch> watch_;  // the other owner is the thread that delivers
};

/// Gets the events that were not delivered yet, in order. `ended` says that nothing more will come.
/// It may be called once with no events, to say that.
using EventsCallback = std::function<void(const std::vector<JobEvent>& events, bool ended)>;
/// Called once, with the finished job.
using FinishedCallback = std::function<void(const Result<Job>& job)>;

/// Tells those who want to know what happens to jobs. Events are always read from the store, from
/// where the watcher stands. So nothing is missed, repeated or kept in memory. Callbacks run on
/// threads of their own, one call at a time for each. Up to `threads - 1` slow callbacks hold up
/// only themselves.
class Watchers {
 public:
  Watchers(store::JobStore& store, std::size_t threads);
  ~Watchers();
  Watchers(const Watchers&) = delete;
  Watchers& operator=(const Watchers&) = delete;
  Watchers(Watchers&&) = delete;
  Watchers& operator=(Watchers&&) = delete;

  /// Fails with `not_found`.
  [[nodiscard]] Result<Subscription> subscribe(const JobId& id, std::int64_t after_sequence,
                                               EventsCallback callback);
  [[nodiscard]] Result<Subscription> on_finished(const JobId& id, FinishedCallback callback);

  /// Something was stored about the job. Cheap where nobody watches it.
  void nudge(const JobId& id, JobState state);

 private:
  friend class Subscription;
  Subscription add(std::shared_ptr<Watch> watch);
  void ready(const std::shared_ptr<Watch>& watch) ASSAY_REQUIRES(mutex_);
  void forget(const std::shared_ptr<Watch>& watch) ASSAY_REQUIRES(mutex_);
  void run(const std::stop_token& stop);
  void end(const std::shared_ptr<Watch>& watch);

  store::JobStore& store_;
  Mutex mutex_;
  std::condition_variable_any work_;
  std::condition_variable_any idle_;  // a call ended
  std::multimap<JobId, std::shared_ptr<Watch>> by_job_ ASSAY_GUARDED_BY(mutex_);
  std::deque<std::shared_ptr<Watch>> ready_ ASSAY_GUARDED_BY(mutex_);
  std::vector<std::jthread> threads_;  // last: they use all above
};

}  // namespace assay::queue
