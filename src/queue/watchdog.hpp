#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <stop_token>
#include <thread>
#include <utility>

#include "base/clock.hpp"
#include "base/mutex.hpp"

namespace assay::queue {

class Watchdog;

/// Does not ring any more once it is destroyed.
class [[nodiscard]] Alarm {
 public:
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;
  Alarm(Alarm&&) = delete;
  Alarm& operator=(Alarm&&) = delete;
  ~Alarm();

  /// Puts it to another moment, unless it has rung.
  void reset(SteadyTime at);

 private:
  friend class Watchdog;
  Alarm(Watchdog& watchdog, std::pair<SteadyTime, std::uint64_t> key)
      : watchdog_(watchdog), key_(key) {}

  Watchdog& watchdog_;
  std::pair<SteadyTime, std::uint64_t> key_;
};

/// Calls back when a moment passes. It is the last resort against work that ignores its deadline.
/// One thread serves all alarms. So callbacks must be short and must not set alarms themselves.
class Watchdog {
 public:
  explicit Watchdog(const Clock& clock);

  Alarm set(SteadyTime at, std::function<void()> ring);

 private:
  friend class Alarm;
  using Key = std::pair<SteadyTime, std::uint64_t>;
  void run(const std::stop_token& stop);
  void ring_due() ASSAY_REQUIRES(mutex_);

  const Clock& clock_;
  Mutex mutex_;
  std::condition_variable_any changed_;
  std::map<Key, std::function<void()>> alarms_ ASSAY_GUARDED_BY(mutex_);
  std::uint64_t next_ ASSAY_GUARDED_BY(mutex_) = 0;
  std::jthread thread_;  // last: it uses all above
};

}  // namespace assay::queue
