#include "base/clock.hpp"

#include <chrono>

#include <gtest/gtest.h>

namespace assay {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(Deadline, expires_when_its_clock_reaches_it) {
  ManualClock clock;
  const Deadline deadline(clock, seconds(2));
  clock.advance(milliseconds(1999));
  EXPECT_FALSE(deadline.expired());
  EXPECT_EQ(deadline.remaining(), milliseconds(1));
  clock.advance(milliseconds(1));
  EXPECT_TRUE(deadline.expired());
}

TEST(Deadline, remaining_is_never_negative) {
  ManualClock clock;
  const Deadline deadline(clock, seconds(1));
  clock.advance(seconds(5));
  EXPECT_EQ(deadline.remaining(), seconds(0));
}

TEST(SystemClock, wall_time_is_after_the_year_2020) {
  const SystemClock clock;
  EXPECT_GT(clock.wall_now().time_since_epoch(), std::chrono::hours(24 * 365 * 50));
}

}  // namespace
}  // namespace assay
