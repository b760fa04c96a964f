#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/mutex.hpp"
#include "tracer/batch.hpp"
#include "tracer/settings.hpp"

namespace assay::tracer {

/// Which part of a run is written. Work on a device belongs to the call that launched it. So a
/// kernel that was launched inside a range belongs to it, even if it runs after the range has
/// closed.
class Gate {
 public:
  explicit Gate(const Settings& settings);

  [[nodiscard]] bool is_set() const { return is_set_; }

  /// A range of this name opened; `key` is its own. The first that fits opens the gate.
  void range_opened(std::string_view name, std::string_view domain, std::uint64_t key,
                    std::int64_t time);
  void range_closed(std::uint64_t key, std::int64_t time);
  /// cudaProfilerStart and cudaProfilerStop.
  void profiler_called(bool start, std::int64_t time);

  [[nodiscard]] bool is_open_at(std::int64_t time);

  // Around a fork, so that no other thread holds the lock that the child inherits.
  void lock_for_fork() ASSAY_THREAD_ATTRIBUTE(no_thread_safety_analysis) { mutex_.lock(); }
  void unlock_after_fork() ASSAY_THREAD_ATTRIBUTE(no_thread_safety_analysis) { mutex_.unlock(); }

  /// Removes from the batch what does not belong. Work whose call has not come yet is held back for
  /// two batches. With `last` nothing is held back.
  void filter(Batch& batch, bool last);

 private:
  struct Window {
    std::int64_t open = 0;
    std::int64_t close = std::numeric_limits<std::int64_t>::max();
  };

  [[nodiscard]] bool fits(std::string_view name, std::string_view domain) const;
  template <class Record>
  void filter_work(std::vector<Record> Batch::* work, Batch& batch, bool last);

  bool is_set_ = false;
  std::string whole_;   // as it was given: names may hold an @ themselves, "LLM@prefill"
  std::string range_;   // what stands before the last @
  std::string domain_;  // what stands behind it
  bool any_domain_ = true;
  bool profiler_calls_ = false;
  Mutex mutex_;
  std::vector<Window> windows_ ASSAY_GUARDED_BY(mutex_);
  std::uint64_t range_key_ ASSAY_GUARDED_BY(mutex_) = 0;  // 0: it has not opened yet
  // The writer's alone.
  std::unordered_set<std::uint32_t> calls_;
  Batch held_;
  Batch held_before_;
};

}  // namespace assay::tracer
