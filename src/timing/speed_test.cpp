#include "timing/speed.hpp"

#include <gtest/gtest.h>

#include "model/timing_summary.hpp"

namespace assay::timing {
namespace {

Statistics around(double median, double half_width) {
  return {.median = median,
          .median_interval = Interval{.low = median - half_width, .high = median + half_width}};
}

TEST(Speed, tells_faster_slower_same_and_undecided_apart) {
  EXPECT_EQ(compare_speed(around(200, 5), around(100, 2)).verdict, SpeedVerdict::faster);
  EXPECT_EQ(compare_speed(around(100, 2), around(200, 5)).verdict, SpeedVerdict::slower);
  EXPECT_EQ(compare_speed(around(1000, 1), around(1001, 1)).verdict, SpeedVerdict::same);
  EXPECT_EQ(compare_speed(around(105, 10), around(100, 10)).verdict, SpeedVerdict::undecided);
}

TEST(Speed, is_reference_over_candidate_with_an_interval_around_it) {
  const Speed speed = compare_speed(around(200, 20), around(100, 10));
  EXPECT_DOUBLE_EQ(speed.speedup, 2);
  ASSERT_TRUE(speed.interval);
  EXPECT_LT(speed.interval->low, 2);
  EXPECT_GT(speed.interval->high, 2);
}

TEST(Speed, is_undecided_without_an_interval_where_a_median_has_none) {
  const Statistics once{.median = 100};
  for (const Speed& speed :
       {compare_speed(once, around(50, 1)), compare_speed(around(200, 1), once)}) {
    EXPECT_DOUBLE_EQ(speed.speedup, 2);
    EXPECT_FALSE(speed.interval);
    EXPECT_EQ(speed.verdict, SpeedVerdict::undecided);
  }
}

TEST(Speed, is_undecided_where_the_clock_read_nothing) {
  EXPECT_EQ(compare_speed(around(0, 0), around(100, 1)).verdict, SpeedVerdict::undecided);
}

}  // namespace
}  // namespace assay::timing
