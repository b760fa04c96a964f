#include "queue/watchers.hpp"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "base/mutex.hpp"
#include "base/result.hpp"
#include "model/ids.hpp"
#include "model/job.hpp"
#include "store/job_store.hpp"

namespace assay::queue {
namespace {

struct EventsWatch {
  EventsCallback callback;
  std::int64_t delivered;  // sequence; touched only by the thread that delivers

  /// True when nothing more will come.
  bool deliver(store::JobStore& store, const JobId& id) {
    auto events = store.events(id, delivered);
    bool ended = events && !events->empty() && is_final(events->back().state);
    if (events && events->empty()) {
      // It may have ended before the watcher came. The state is read first: whatever ends the
      // job in between is then among the events.
      const auto state = store.state(id);
      ended = !state || is_final(*state);
      if (!ended) return false;
      events = store.events(id, delivered);
    }
    if (!events) {  // swept away, or the disk is gone: either way nothing more will come
      callback({}, true);
      return true;
    }
    if (!events->empty()) delivered = events->back().sequence;
    callback(*events, ended);
    return ended;
  }
};

struct FinishedWatch {
  FinishedCallback callback;

  bool deliver(store::JobStore& store, const JobId& id) const {
    if (const auto state = store.state(id); state && !is_final(*state)) return false;
    callback(store.get(id));
    return true;
  }
};

}  // namespace

/// All but `kind` is guarded by the mutex of the Watchers.
struct Watch {
  JobId job;
  std::variant<EventsWatch, FinishedWatch> kind;
  bool queued = false;                    // waits for a thread
  bool again = false;                     // nudged while it was being called
  bool closed = false;                    // ended, or its subscription did
  std::optional<std::thread::id> caller;  // the thread calling it now
};

Subscription::Subscription(Watchers& watchers, std::shared_ptr<Watch> watch)
    : watchers_(&watchers), watch_(std::move(watch)) {}

Subscription::Subscription(Subscription&& other) noexcept
    : watchers_(other.watchers_), watch_(std::move(other.watch_)) {}

Subscription& Subscription::operator=(Subscription&& other) noexcept {
  if (this == &other) return *this;
  end();
  watchers_ = other.watchers_;
  watch_ = std::move(other.watch_);
  return *this;
}

Subscription::~Subscription() {
  end();
}

void Subscription::end() {
  if (watch_ != nullptr) watchers_->end(std::exchange(watch_, nullptr));
}

Watchers::Watchers(store::JobStore& store, std::size_t threads) : store_(store) {
  for (std::size_t i = 0; i < threads; ++i) {
    threads_.emplace_back([this](const std::stop_token& stop) { run(stop); });
  }
}

Watchers::~Watchers() = default;

Result<Subscription> Watchers::subscribe(const JobId& id, std::int64_t after_sequence,
                                         EventsCallback callback) {
  if (auto known = store_.events(id, after_sequence); !known) {
    return std::unexpected(std::move(known).error());
  }
  return add(std::make_shared<Watch>(
      id, EventsWatch{.callback = std::move(callback), .delivered = after_sequence}));
}

Result<Subscription> Watchers::on_finished(const JobId& id, FinishedCallback callback) {
  if (auto known = store_.events(id, INT64_MAX); !known) {
    return std::unexpected(std::move(known).error());
  }
  return add(std::make_shared<Watch>(id, FinishedWatch{.callback = std::move(callback)}));
}

Subscription Watchers::add(std::shared_ptr<Watch> watch) {
  const MutexLock lock(mutex_);
  by_job_.emplace(watch->job, watch);
  ready(watch);  // for what is stored already
  return {*this, std::move(watch)};
}

void Watchers::nudge(const JobId& id, JobState state) {
  const MutexLock lock(mutex_);
  const auto [begin, end] = by_job_.equal_range(id);
  for (auto it = begin; it != end; ++it) {
    const bool wants_every_step = std::holds_alternative<EventsWatch>(it->second->kind);
    if (wants_every_step || is_final(state)) ready(it->second);
  }
}

void Watchers::ready(const std::shared_ptr<Watch>& watch) {
  if (watch->closed || watch->queued) return;
  if (watch->caller) {
    watch->again = true;
    return;
  }
  watch->queued = true;
  ready_.push_back(watch);
  work_.notify_one();
}

void Watchers::forget(const std::shared_ptr<Watch>& watch) {
  watch->closed = true;
  const auto [begin, end] = by_job_.equal_range(watch->job);
  for (auto it = begin; it != end; ++it) {
    if (it->second != watch) continue;
    by_job_.erase(it);
    return;
  }
}

void Watchers::run(const std::stop_token& stop) {
  while (true) {
    std::shared_ptr<Watch> watch;
    {
      const MutexLock lock(mutex_);
      const bool some = work_.wait(mutex_, stop, [this] {
        mutex_.assert_held();
        return !ready_.empty();
      });
      if (!some || stop.stop_requested()) return;
      watch = std::move(ready_.front());
      ready_.pop_front();
      watch->queued = false;
      if (watch->closed) continue;
      watch->caller = std::this_thread::get_id();
    }
    const bool ended =
        std::visit([&](auto& kind) { return kind.deliver(store_, watch->job); }, watch->kind);
    const MutexLock lock(mutex_);
    watch->caller.reset();
    if (ended) forget(watch);
    if (std::exchange(watch->again, false)) ready(watch);
    idle_.notify_all();
  }
}

void Watchers::end(const std::shared_ptr<Watch>& watch) {
  const MutexLock lock(mutex_);
  forget(watch);
  if (watch->caller == std::this_thread::get_id()) return;
  idle_.wait(mutex_, [&] {
    mutex_.assert_held();
    return !watch->caller;
  });
}

}  // namespace assay::queue
