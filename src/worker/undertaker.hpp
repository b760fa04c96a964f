#pragma once

#include <condition_variable>
#include <cstddef>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "base/mutex.hpp"
#include "eval/runner.hpp"

namespace assay::worker {

/// Destroys killed processes on a thread of its own, so that no evaluation waits for that. The
/// kernel takes tens of milliseconds to take one apart, and hundreds for one with a CUDA context.
template <class Process>
class Undertaker {
 public:
  Undertaker() = default;
  ~Undertaker() = default;  // what is left then ends here
  Undertaker(const Undertaker&) = delete;
  Undertaker& operator=(const Undertaker&) = delete;
  Undertaker(Undertaker&&) = delete;
  Undertaker& operator=(Undertaker&&) = delete;

  void take(Process process) {
    const MutexLock lock(mutex_);
    dead_.push_back(std::move(process));
    changed_.notify_all();
  }

  /// Waits until all that were taken are gone; false where `bounds` end that first.
  [[nodiscard]] bool await_all(const eval::Bounds& bounds) {
    const MutexLock lock(mutex_);
    return changed_.wait_for(mutex_, bounds.stop, bounds.deadline.remaining(), [this] {
      mutex_.assert_held();
      return dead_.empty() && ending_ == 0;
    });
  }

 private:
  void work(const std::stop_token& stop) {
    while (true) {
      std::vector<Process> now;
      {
        const MutexLock lock(mutex_);
        const bool some = changed_.wait(mutex_, stop, [this] {
          mutex_.assert_held();
          return !dead_.empty();
        });
        if (!some) return;
        now.swap(dead_);
        ending_ = now.size();
      }
      now.clear();
      const MutexLock lock(mutex_);
      ending_ = 0;
      changed_.notify_all();
    }
  }

  Mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<Process> dead_ ASSAY_GUARDED_BY(mutex_);  // killed, not yet gone
  std::size_t ending_ ASSAY_GUARDED_BY(mutex_) = 0;     // taken out of it by the thread
  std::jthread thread_{
      [this](const std::stop_token& stop) { work(stop); }};  // last: uses all above
};

}  // namespace assay::worker
