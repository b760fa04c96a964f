#include "trace/parallel.hpp"

#include <atomic>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

namespace assay::trace {
namespace {

TEST(InParallel, calls_each_once) {
  std::vector<int> calls(1000, 0);
  in_parallel(calls.size(), [&](std::size_t i) { ++calls[i]; });
  EXPECT_EQ(calls, std::vector<int>(1000, 1));
}

TEST(InParallel, of_nothing_calls_nothing) {
  in_parallel(0, [](std::size_t) { FAIL(); });
}

TEST(Lazy, is_computed_once_whoever_asks) {
  std::atomic<int> made = 0;
  Lazy<int> lazy;
  std::vector<int> seen(64, 0);
  in_parallel(seen.size(), [&](std::size_t i) {
    seen[i] = lazy.get([&] {
      ++made;
      return 7;
    });
  });
  EXPECT_EQ(made, 1);
  EXPECT_EQ(seen, std::vector<int>(64, 7));
}

}  // namespace
}  // namespace assay::trace
