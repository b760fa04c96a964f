#include "timing/outside_slope.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "model/timing_summary.hpp"

namespace assay::timing {
namespace {

/// Rounds of 1 and 21 calls, the gate's own latency of 9 to 17 us in both.
std::vector<SlopeRound> rounds_of(double call_ns, int count) {
  std::vector<SlopeRound> rounds;
  for (int i = 0; i < count; ++i) {
    const double gate = 9000 + 1000 * (i % 9);
    const double jitter = 40.0 * (i % 5 - 2);
    rounds.push_back(
        {.few = 1, .few_ns = gate + call_ns, .many = 21, .many_ns = gate + 21 * call_ns + jitter});
  }
  return rounds;
}

TEST(OutsideSlope, is_the_time_of_a_call_without_the_gates_own) {
  const auto call = time_of_call(rounds_of(3806, 25));
  ASSERT_TRUE(call);
  EXPECT_NEAR(call->ns, 3806, 1);
  ASSERT_TRUE(call->interval);
  EXPECT_LE(call->interval->low, 3806);
  EXPECT_GE(call->interval->high, 3806);
  EXPECT_LT(call->interval->high - call->interval->low, 10);
}

TEST(OutsideSlope, takes_the_scene_off_with_its_doubt) {
  const CallTime scene{.ns = 25600, .interval = Interval{.low = 25500, .high = 25750}};
  const auto call = time_of_call(rounds_of(25600 + 12000, 25), scene);
  ASSERT_TRUE(call && call->interval);
  EXPECT_NEAR(call->ns, 12000, 1);
  EXPECT_LE(call->interval->low, 12000 - 150);
  EXPECT_GE(call->interval->high, 12000 + 100);
}

TEST(OutsideSlope, is_hardly_moved_by_rounds_that_were_interrupted) {
  auto rounds = rounds_of(5000, 20);
  rounds[3].many_ns += 4e6;
  rounds[9].few_ns += 4e6;
  EXPECT_NEAR(time_of_call(rounds)->ns, 5000, 3);
}

TEST(OutsideSlope, has_no_interval_for_few_rounds_and_no_time_without_any) {
  EXPECT_FALSE(time_of_call(rounds_of(5000, 5))->interval);
  EXPECT_FALSE(time_of_call({}));
  EXPECT_FALSE(time_of_call(std::vector<SlopeRound>{{.few = 3, .many = 3}}));
}

}  // namespace
}  // namespace assay::timing
