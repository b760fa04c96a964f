#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace assay {

/// Calls `task(i)` for each i below `count`, on at most `most` threads. The caller's thread is one
/// of them. Returns when all are done.
template <class Task>
void in_parallel(std::size_t count, std::size_t most, const Task& task) {
  std::atomic<std::size_t> next = 0;
  const auto take_turns = [&] {
    for (std::size_t i = next++; i < count; i = next++) task(i);
  };
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::jthread> others;
  for (std::size_t i = 1; i < std::min({cores, most, count}); ++i) others.emplace_back(take_turns);
  take_turns();
}

}  // namespace assay
