#include "timing/outside_time.hpp"

#include <gtest/gtest.h>

namespace assay::timing {
namespace {

TEST(OutsideRounds, what_opening_and_seeing_cost_is_in_both_and_cancels) {
  const OutsideRounds rounds{.short_ns = {65, 65, 65}, .long_ns = {605, 605, 605}, .apart = 10};
  EXPECT_DOUBLE_EQ(rounds.call_ns(), 54);
}

TEST(OutsideRounds, rounds_that_others_came_into_do_not_count) {
  // As seen on an H200 while another process made its context: three long rounds of eight were
  // late.
  const OutsideRounds rounds{.short_ns = {64e3, 65e3, 66e3, 64e3, 64e3, 65e3, 65e3, 66e3},
                             .long_ns = {741e3, 824e3, 1030e3, 597e3, 599e3, 604e3, 602e3, 600e3},
                             .apart = 10};
  EXPECT_NEAR(rounds.call_ns(), 53.6e3, 200);
}

TEST(OutsideRounds, long_rounds_alone_tell_what_a_call_takes_where_short_ones_were_made_longer) {
  const OutsideRounds own{.short_ns = {65}, .long_ns = {605}, .apart = 10};
  EXPECT_DOUBLE_EQ(own.beside_ns(), 11);
  EXPECT_DOUBLE_EQ(own.call_ns_of_long(11), 54);
  const OutsideRounds stretched{.short_ns = {465}, .long_ns = {605}, .apart = 10};
  EXPECT_DOUBLE_EQ(stretched.call_ns(), 14);
  EXPECT_DOUBLE_EQ(stretched.call_ns_of_long(11), 54);
}

TEST(OutsideRounds, short_rounds_alone_tell_of_work_that_is_left_out_of_all_calls_but_the_last) {
  const OutsideRounds lazy{.short_ns = {65}, .long_ns = {105}, .apart = 10};
  EXPECT_DOUBLE_EQ(lazy.call_ns(), 4);
  EXPECT_DOUBLE_EQ(lazy.call_ns_of_short(11), 54);
}

TEST(OutsideRounds, nothing_takes_nothing) {
  EXPECT_EQ(OutsideRounds{}.call_ns_of_short(0), 0);
  EXPECT_EQ(OutsideRounds{}.call_ns(), 0);
  EXPECT_EQ(OutsideRounds{}.beside_ns(), 0);
  EXPECT_EQ(OutsideRounds{}.call_ns_of_long(0), 0);
}

}  // namespace
}  // namespace assay::timing
