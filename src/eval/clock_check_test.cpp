#include "eval/clock_check.hpp"

#include <chrono>
#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

namespace assay::eval {
namespace {

using std::chrono::milliseconds;

ClockCheck checked(int batches, milliseconds wall, std::optional<milliseconds> cpu,
                   const std::vector<double>& claimed, std::size_t restored = 0) {
  ClockCheck check;
  for (int i = 0; i < batches; ++i) {
    check.add({.wall = wall, .cpu = cpu, .claimed_ns = claimed, .restored = restored});
  }
  return check;
}

TEST(ClockCheck, believes_times_that_fill_the_wall_clock) {
  const std::vector<double> claimed(10, 10e6);
  EXPECT_FALSE(checked(1, milliseconds(110), milliseconds(110), claimed).complaint());
}

TEST(ClockCheck, catches_claims_far_below_what_was_computed) {
  const std::vector<double> claimed(10, 1e3);
  EXPECT_TRUE(checked(4, milliseconds(100), milliseconds(95), claimed).complaint());
}

TEST(ClockCheck, believes_a_kernel_that_had_to_wait_for_the_processor) {
  const std::vector<double> claimed(10, 1e3);
  EXPECT_FALSE(checked(4, milliseconds(100), milliseconds(1), claimed).complaint());
  EXPECT_FALSE(checked(4, milliseconds(100), std::nullopt, claimed).complaint());
}

TEST(ClockCheck, believes_a_kernel_that_computes_on_many_cores) {
  const std::vector<double> claimed(10, 10e6);
  EXPECT_FALSE(checked(4, milliseconds(101), milliseconds(6400), claimed).complaint());
}

TEST(ClockCheck, forgives_one_odd_batch) {
  ClockCheck check;
  const std::vector<double> short_claims(10, 1e3);
  const std::vector<double> claims(10, 50e3);
  check.add({.wall = milliseconds(100), .cpu = milliseconds(100), .claimed_ns = short_claims});
  for (int i = 0; i < 3; ++i) {
    check.add({.wall = milliseconds(1), .cpu = milliseconds(1), .claimed_ns = claims});
  }
  EXPECT_FALSE(check.complaint());
}

TEST(ClockCheck, catches_more_time_than_passed_and_times_that_are_none) {
  EXPECT_TRUE(checked(1, milliseconds(1), std::nullopt, {2e6}).complaint());
  EXPECT_TRUE(checked(1, milliseconds(1), std::nullopt, {-1}).complaint());
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(checked(1, milliseconds(1), std::nullopt, {nan}).complaint());
}

TEST(ClockCheck, allows_for_buffers_that_are_restored) {
  const std::vector<double> claimed(10, 1e3);
  EXPECT_FALSE(checked(4, milliseconds(100), milliseconds(100), claimed, std::size_t{16} << 20U)
                   .complaint());
}

TEST(ClockCheck, allows_for_answers_of_many_tensors) {
  const std::vector<double> claimed(2, 2e6);
  ClockCheck check;
  check.add({.wall = milliseconds(33),
             .cpu = milliseconds(33),
             .claimed_ns = claimed,
             .commands = 2,
             .tensors = 1000});
  EXPECT_FALSE(check.complaint());
}

TEST(HiddenWork, is_what_a_process_computes_beside_calls_that_are_claimed_to_be_fast) {
  EXPECT_TRUE(hidden_work({.reference = 60e3, .candidate = 500e3}, 450e3, 10e3));
  EXPECT_FALSE(hidden_work({.reference = 60e3, .candidate = 80e3}, 450e3, 10e3));
}

TEST(HiddenWork, matters_only_where_a_kernel_gains_by_it) {
  EXPECT_FALSE(hidden_work({.reference = 60e3, .candidate = 500e3}, 450e3, 400e3));
  EXPECT_TRUE(may_hide_work(450e3, 200e3));
  EXPECT_FALSE(may_hide_work(450e3, 440e3));
}

TEST(HiddenWork, is_not_told_from_what_runners_do_of_themselves) {
  EXPECT_FALSE(hidden_work({.reference = 2e6, .candidate = 2.6e6}, 450e3, 10e3));
  EXPECT_FALSE(hidden_work({.reference = -5e6, .candidate = 30e3}, 10e3, 1e3));
  EXPECT_FALSE(hidden_work({.reference = 76e3, .candidate = 155e3}, 361e3, 227e3));
}

}  // namespace
}  // namespace assay::eval
