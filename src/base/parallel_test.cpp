#include "base/parallel.hpp"

#include <atomic>
#include <cstddef>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(InParallel, calls_each_once) {
  std::vector<int> calls(1000, 0);
  in_parallel(calls.size(), 4, [&](std::size_t i) { ++calls[i]; });
  EXPECT_EQ(calls, std::vector<int>(1000, 1));
}

TEST(InParallel, of_nothing_calls_nothing) {
  in_parallel(0, 4, [](std::size_t) { FAIL(); });
}

TEST(InParallel, does_no_more_at_once_than_it_may) {
  std::atomic<int> now = 0;
  std::atomic<bool> too_many = false;
  in_parallel(1000, 2, [&](std::size_t) {
    too_many = too_many || ++now > 2;
    --now;
  });
  EXPECT_FALSE(too_many);
}

TEST(InParallel, with_one_thread_stays_on_the_callers) {
  std::set<std::thread::id> threads;
  in_parallel(10, 1, [&](std::size_t) { threads.insert(std::this_thread::get_id()); });
  EXPECT_EQ(threads, std::set{std::this_thread::get_id()});
}

}  // namespace
}  // namespace assay
