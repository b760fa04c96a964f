#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace assay::trace {

/// More would not shorten an analysis much, and each holds columns of its own in memory.
inline constexpr std::size_t kMostThreads = 4;

/// Calls `task(i)` for each i below `count`, several at a time; returns when all are done.
template <class Task>
void in_parallel(std::size_t count, const Task& task) {
  std::atomic<std::size_t> next = 0;
  const auto take_turns = [&] {
    for (std::size_t i = next++; i < count; i = next++) task(i);
  };
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::jthread> others;
  for (std::size_t i = 1; i < std::min({cores, kMostThreads, count}); ++i) {
    others.emplace_back(take_turns);
  }
  take_turns();
}

/// A value computed when first asked for, by whichever thread asks first.
template <class T>
class Lazy {
 public:
  template <class Make>
  const T& get(const Make& make) {
    std::call_once(once_, [&] { value_.emplace(make()); });
    return *value_;
  }

 private:
  std::once_flag once_;
  std::optional<T> value_;
};

}  // namespace assay::trace
