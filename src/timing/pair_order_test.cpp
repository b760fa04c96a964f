#include "timing/pair_order.hpp"

#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace assay::timing {
namespace {

std::vector<bool> first_ones(std::uint64_t seed, int count) {
  PairOrder order(seed);
  std::vector<bool> first;
  for (int i = 0; i < count; ++i) first.push_back(order.reference_first());
  return first;
}

TEST(PairOrder, lets_each_kernel_begin_two_of_four) {
  const auto first = first_ones(7, 40);
  for (int i = 0; i < 40; i += 4) {
    EXPECT_EQ(first[i] + first[i + 1] + first[i + 2] + first[i + 3], 2) << i;
  }
}

TEST(PairOrder, is_the_same_for_the_same_seed_and_differs_between_seeds) {
  EXPECT_EQ(first_ones(1, 20), first_ones(1, 20));
  std::set<std::vector<bool>> seen;
  for (std::uint64_t seed = 0; seed < 50; ++seed) seen.insert(first_ones(seed, 4));
  EXPECT_EQ(seen.size(), 6U) << "every order of four that is fair";
}

}  // namespace
}  // namespace assay::timing
