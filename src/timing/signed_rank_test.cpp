#include "timing/signed_rank.hpp"

#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace assay::timing {
namespace {

TEST(SignedRank, agrees_with_the_published_tables) {
  // For ten values at 95 % the ninth least and the ninth greatest of 55 averages.
  std::vector<double> values;
  for (int i = 0; i < 10; ++i) values.push_back(i);
  const SignedRank centre(values);
  EXPECT_DOUBLE_EQ(centre.estimate(), 4.5);
  const auto interval = centre.interval(0.95);
  ASSERT_TRUE(interval);
  EXPECT_DOUBLE_EQ(interval->low, 2);  // 0 .5 1 1 1.5 1.5 2 2 2
  EXPECT_DOUBLE_EQ(interval->high, 7);
}

TEST(SignedRank, has_no_interval_where_no_set_of_ranks_is_rare_enough) {
  const std::vector<double> seven{1, 2, 3, 4, 5, 6, 7};
  EXPECT_FALSE(SignedRank(seven).interval(0.99)) << "1 in 64 is more than 1 in 100";
  EXPECT_TRUE(SignedRank(seven).interval(0.95));
  EXPECT_FALSE(SignedRank(std::vector<double>{1}).interval(0.95));
}

TEST(SignedRank, holds_the_middle_as_often_as_it_says_exactly_and_nearly) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(3, 1);
  for (const int n : {12, 50, 51}) {
    int missed = 0;
    constexpr int kRounds = 400;
    for (int round = 0; round < kRounds; ++round) {
      std::vector<double> values;
      for (int i = 0; i < n; ++i) values.push_back(noise(random));
      const auto interval = SignedRank(values).interval(0.95).value();
      if (interval.low > 3 || interval.high < 3) ++missed;
    }
    EXPECT_GE(missed, kRounds * 0.02) << n;
    EXPECT_LE(missed, kRounds * 0.08) << n;
  }
}

TEST(SignedRank, is_hardly_moved_by_wild_values) {
  std::vector<double> values(20, 1.0);
  values[3] = 1e9;
  values[7] = -1e9;
  values[11] = 1e9;
  EXPECT_DOUBLE_EQ(SignedRank(values).estimate(), 1);
}

}  // namespace
}  // namespace assay::timing
