#include "eval/clock_check.hpp"

#include <chrono>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace assay::eval {
namespace {

using std::chrono::milliseconds;

TEST(ClockCheck, believes_times_that_fill_the_wall_clock) {
  ClockCheck check;
  check.add(milliseconds(110), std::vector<double>(10, 10e6), 0);
  EXPECT_FALSE(check.complaint());
}

TEST(ClockCheck, catches_claims_far_below_what_passed) {
  ClockCheck check;
  for (int i = 0; i < 4; ++i) check.add(milliseconds(100), std::vector<double>(10, 1e3), 0);
  EXPECT_TRUE(check.complaint());
}

TEST(ClockCheck, forgives_one_batch_that_the_scheduler_held_up) {
  ClockCheck check;
  check.add(milliseconds(100), std::vector<double>(10, 1e3), 0);
  for (int i = 0; i < 3; ++i) check.add(milliseconds(1), std::vector<double>(10, 50e3), 0);
  EXPECT_FALSE(check.complaint());
}

TEST(ClockCheck, catches_more_time_than_passed_and_times_that_are_none) {
  ClockCheck more;
  more.add(milliseconds(1), std::vector<double>{2e6}, 0);
  EXPECT_TRUE(more.complaint());
  ClockCheck negative;
  negative.add(milliseconds(1), std::vector<double>{-1}, 0);
  EXPECT_TRUE(negative.complaint());
  ClockCheck nan;
  nan.add(milliseconds(1), std::vector<double>{std::numeric_limits<double>::quiet_NaN()}, 0);
  EXPECT_TRUE(nan.complaint());
}

TEST(ClockCheck, allows_for_buffers_that_are_restored) {
  ClockCheck check;
  check.add(milliseconds(100), std::vector<double>(10, 1e3), 16 << 20);
  EXPECT_FALSE(check.complaint());
}

}  // namespace
}  // namespace assay::eval
