#include "queue/watchdog.hpp"

#include <functional>
#include <stop_token>
#include <utility>

#include "base/clock.hpp"
#include "base/mutex.hpp"

namespace assay::queue {

Alarm::~Alarm() {
  const MutexLock lock(watchdog_.mutex_);  // held while ringing: after it, nothing rings
  watchdog_.alarms_.erase(key_);
}

void Alarm::reset(SteadyTime at) {
  const MutexLock lock(watchdog_.mutex_);
  auto alarm = watchdog_.alarms_.extract(key_);
  if (alarm.empty()) return;
  key_ = {at, watchdog_.next_++};
  alarm.key() = key_;
  watchdog_.alarms_.insert(std::move(alarm));
  watchdog_.changed_.notify_one();
}

Watchdog::Watchdog(const Clock& clock)
    : clock_(clock), thread_([this](const std::stop_token& stop) { run(stop); }) {}

Alarm Watchdog::set(SteadyTime at, std::function<void()> ring) {
  const MutexLock lock(mutex_);
  const Key key{at, next_++};
  alarms_.emplace(key, std::move(ring));
  changed_.notify_one();
  return {*this, key};
}

void Watchdog::ring_due() {
  while (!alarms_.empty() && alarms_.begin()->first.first <= clock_.now()) {
    const auto due = alarms_.extract(alarms_.begin());
    due.mapped()();
  }
}

void Watchdog::run(const std::stop_token& stop) {
  const MutexLock lock(mutex_);
  while (!stop.stop_requested()) {
    ring_due();
    // Woken by a new alarm even where it is not the first: alarms are few, a job has one.
    const auto seen = next_;
    const auto renewed = [&] {
      mutex_.assert_held();
      return next_ != seen;
    };
    if (alarms_.empty()) {
      changed_.wait(mutex_, stop, renewed);
    } else {
      changed_.wait_for(mutex_, stop, alarms_.begin()->first.first - clock_.now(), renewed);
    }
  }
}

}  // namespace assay::queue
