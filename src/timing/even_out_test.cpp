#include "timing/even_out.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace assay::timing {
namespace {

TEST(EvenOut, takes_the_offsets_of_turns_away_and_keeps_the_mean) {
  // Rounds of a torch call on an H200, in microseconds.
  const std::vector<double> rounds{15.2, 16.3, 15.3, 13.6, 15.2, 16.2,
                                   15.3, 13.6, 15.4, 16.2, 15.4, 13.5};
  const Evened evened = even_out(rounds, 4);
  for (const double value : evened.values) EXPECT_NEAR(value, 15.1, 0.15);
  EXPECT_NEAR(evened.widen, 1.22, 0.01);
}

TEST(EvenOut, an_incomplete_turn_at_the_end_does_not_move_the_mean) {
  const std::vector<double> rounds{1, 3, 1, 3, 1, 3, 1};
  for (const double value : even_out(rounds, 2).values) EXPECT_DOUBLE_EQ(value, 2);
}

TEST(EvenOut, too_few_values_stay_as_they_are) {
  const std::vector<double> rounds{1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_EQ(even_out(rounds, 4).values, rounds);
  EXPECT_EQ(even_out(rounds, 4).widen, 1);
  EXPECT_EQ(even_out(rounds, 1).values, rounds);
}

}  // namespace
}  // namespace assay::timing
