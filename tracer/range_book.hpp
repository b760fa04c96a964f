#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/mutex.hpp"
#include "tracer/range_event.hpp"

namespace assay::tracer {

class Gate;

/// The ranges, marks and domains that a program tells through NVTX. Any thread may tell.
class RangeBook {
 public:
  explicit RangeBook(Gate& gate) : gate_(gate) {}

  /// How many events may wait to be written. Further ones are counted and lost.
  static constexpr std::size_t kMost = std::size_t{1} << 20U;

  /// The depth of the range, from 0.
  int push(std::uint32_t domain, std::uint32_t thread, std::int64_t time, Label label);
  /// The depth of the range that ended; -1 where none was open.
  int pop(std::uint32_t domain, std::uint32_t thread, std::int64_t time);
  /// A number that ends the range, from any thread.
  [[nodiscard]] std::uint64_t start(std::uint32_t domain, std::uint32_t thread, std::int64_t time,
                                    Label label);
  void end(std::uint64_t id, std::uint32_t thread, std::int64_t time);
  /// A mark, or the name of a thread or of a category.
  void tell(EventType type, std::uint32_t domain, std::uint32_t thread, std::int64_t time,
            Label label);

  [[nodiscard]] std::uint32_t create_domain(std::string name, std::uint32_t thread,
                                            std::int64_t time);
  /// A text that stays where it is, so that its address stands for it.
  [[nodiscard]] const std::string* register_text(std::string text);

  /// What is to be written now: events that have ended, and open ranges that were not written yet.
  [[nodiscard]] std::vector<RangeEvent> drain();
  [[nodiscard]] std::uint64_t lost();

  // Around a fork. The child keeps only domains and texts, because its code holds them.
  void lock_for_fork() ASSAY_THREAD_ATTRIBUTE(no_thread_safety_analysis) { mutex_.lock(); }
  void unlock_after_fork() ASSAY_THREAD_ATTRIBUTE(no_thread_safety_analysis) { mutex_.unlock(); }
  void forget_after_fork(std::uint32_t thread, std::int64_t time);

 private:
  struct Open {
    RangeEvent event;
    bool written = false;
  };
  using Stack = std::vector<Open>;

  void add(RangeEvent event) ASSAY_REQUIRES(mutex_);
  void open(const RangeEvent& event) ASSAY_REQUIRES(mutex_);
  void close(Open& range, std::int64_t time) ASSAY_REQUIRES(mutex_);

  Gate& gate_;
  Mutex mutex_;
  std::uint64_t next_key_ ASSAY_GUARDED_BY(mutex_) = 1;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Stack> stacks_ ASSAY_GUARDED_BY(mutex_);
  std::unordered_map<std::uint64_t, Open> started_ ASSAY_GUARDED_BY(mutex_);
  std::vector<RangeEvent> ended_ ASSAY_GUARDED_BY(mutex_);
  std::vector<std::string> domains_ ASSAY_GUARDED_BY(mutex_) = {""};  // by number; 0: the default
  std::deque<std::string> texts_ ASSAY_GUARDED_BY(mutex_);
  std::uint64_t lost_ ASSAY_GUARDED_BY(mutex_) = 0;
};

}  // namespace assay::tracer
