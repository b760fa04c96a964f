#include "timing/statistics.hpp"

#include <cmath>
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
  EXPECT_FALSE(one.median_interval);
}

/// How often n samples have the median between the two given by their places from 0: it is there
/// if of n coins more than `low` and at most `high` fall on its lower side.
double coverage(int n, int low, int high) {
  double ways = std::pow(0.5, n);  // of exactly k coins
  double sum = 0;
  for (int k = 0; k <= high; ++k) {
    if (k > low) sum += ways;
    ways = ways * (n - k) / (k + 1);
  }
  return sum;
}

TEST(Statistics, interval_is_there_only_where_it_covers_the_median_in_95_of_100_cases) {
  EXPECT_DOUBLE_EQ(coverage(5, 0, 4), 0.9375);
  std::vector<double> samples;
  for (int n = 1; n <= 500; ++n) {
    samples.push_back(n - 1);
    const auto interval = statistics_of(samples).median_interval;
    ASSERT_EQ(interval.has_value(), n >= 6) << n;
    if (!interval) continue;
    const auto [low, high] = *interval;
    EXPECT_GE(coverage(n, static_cast<int>(low), static_cast<int>(high)), 0.95) << n;
  }
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
  ASSERT_TRUE(a.median_interval && b.median_interval);
  EXPECT_LE(b.median_interval->low, b.median);
  EXPECT_GE(b.median_interval->high, b.median);
  EXPECT_LT(b.median_interval->high - b.median_interval->low,
            a.median_interval->high - a.median_interval->low);
}

TEST(Summary, keeps_samples_in_the_order_taken) {
  EXPECT_EQ(summarize({3, 1, 2}, "m").samples, (std::vector<double>{3, 1, 2}));
}

}  // namespace
}  // namespace assay::timing
