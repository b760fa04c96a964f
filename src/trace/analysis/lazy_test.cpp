#include "trace/analysis/lazy.hpp"

#include <atomic>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include "base/parallel.hpp"

namespace assay::trace {
namespace {

TEST(Lazy, is_computed_once_whoever_asks) {
  std::atomic<int> made = 0;
  Lazy<int> lazy;
  std::vector<int> seen(64, 0);
  in_parallel(seen.size(), 4, [&](std::size_t i) {
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
