#include "timing/statistics.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace assay::timing {
namespace {

TEST(Statistics, agree_with_numpy_on_a_small_sample) {
  // numpy: mean 22, std 39.01, median 3, percentile(95) 80.8, percentile(99) 96.16
  const auto s = statistics_of(std::vector<double>{3, 1, 2, 4, 100});
  EXPECT_DOUBLE_EQ(s.mean, 22);
  EXPECT_NEAR(s.std, 39.0128184, 1e-6);
  EXPECT_DOUBLE_EQ(s.min, 1);
  EXPECT_DOUBLE_EQ(s.max, 100);
  EXPECT_DOUBLE_EQ(s.median, 3);
  EXPECT_DOUBLE_EQ(s.percentile_95, 80.8);
  EXPECT_DOUBLE_EQ(s.percentile_99, 96.16);
}

TEST(Statistics, of_nothing_are_zero_and_of_one_sample_are_that_sample) {
  EXPECT_EQ(statistics_of({}).mean, 0);
  const auto one = statistics_of(std::vector<double>{7});
  EXPECT_EQ(one.median, 7);
  EXPECT_EQ(one.std, 0);
  EXPECT_EQ(one.median_low, 7);
  EXPECT_EQ(one.median_high, 7);
}

TEST(Statistics, interval_holds_the_median_and_narrows_with_more_samples) {
  std::vector<double> few;
  std::vector<double> many;
  for (int i = 0; i < 1000; ++i) {
    if (i % 25 == 0) few.push_back(i);
    many.push_back(i);
  }
  const auto a = statistics_of(few);
  const auto b = statistics_of(many);
  EXPECT_LE(b.median_low, b.median);
  EXPECT_GE(b.median_high, b.median);
  EXPECT_LT(b.median_high - b.median_low, a.median_high - a.median_low);
}

TEST(Summary, keeps_samples_in_the_order_taken) {
  EXPECT_EQ(summarize({3, 1, 2}, "m").samples, (std::vector<double>{3, 1, 2}));
}

}  // namespace
}  // namespace assay::timing
