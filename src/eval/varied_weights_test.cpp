#include "eval/varied_weights.hpp"

#include <utility>

#include <gtest/gtest.h>

#include "model/outcome.hpp"
#include "model/verdict.hpp"

namespace assay::eval {
namespace {

Outcome outcome_of(Verdict verdict, int rounds_passed) {
  return {.verdict = std::move(verdict),
          .check = CheckSummary{.rounds_passed = rounds_passed, .rounds_total = 3}};
}

TEST(VariedWeights, a_wrong_round_may_come_of_them) {
  EXPECT_TRUE(may_come_of_weights(outcome_of(WrongAnswer{.rule = "tolerance"}, 0)));
  EXPECT_TRUE(may_come_of_weights(outcome_of(NonDeterministic{}, 0)));
  EXPECT_TRUE(may_come_of_weights(outcome_of(ReferenceFailed{}, 2)));
}

TEST(VariedWeights, another_structure_does_not_come_of_them) {
  EXPECT_FALSE(may_come_of_weights(outcome_of(WrongAnswer{.rule = "structure"}, 0)));
  EXPECT_FALSE(may_come_of_weights(outcome_of(Crashed{}, 0)));
}

TEST(VariedWeights, what_is_wrong_after_all_rounds_does_not_come_of_them) {
  EXPECT_FALSE(may_come_of_weights(outcome_of(WrongAnswer{.rule = "own_kernels"}, 3)));
  EXPECT_FALSE(may_come_of_weights(outcome_of(WrongAnswer{.rule = "tolerance"}, 3)));
}

}  // namespace
}  // namespace assay::eval
