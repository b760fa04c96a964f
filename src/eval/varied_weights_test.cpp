#include "eval/varied_weights.hpp"

#include <utility>

#include <gtest/gtest.h>

#include "model/outcome.hpp"
#include "model/python_protocol.hpp"
#include "model/request.hpp"
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

TEST(VariedWeights, what_was_varied_while_it_was_made_is_refused_unless_others_explain_it) {
  const Request request;
  EXPECT_TRUE(is_refused({.of_norms = {"norm.weight"}}, request));
  EXPECT_TRUE(is_refused({.made = {"scale"}}, request));
  EXPECT_FALSE(is_refused({.made = {"scale"}, .others = {"shift"}}, request));
  EXPECT_FALSE(is_refused({.others = {"shift"}}, request));
  EXPECT_TRUE(is_refused({.others = {"shift"}}, Request{.strict = true}));
}

TEST(VariedWeights, beside_norms_all_else_is_left_out) {
  const VariedWeights all{.of_norms = {"norm.weight"}, .made = {"scale"}, .others = {"shift"}};
  const VariedWeights beside = ignored_beside(VaryWeights::norms, all);
  EXPECT_TRUE(beside.of_norms.empty());
  EXPECT_EQ(beside.made, all.made);
  EXPECT_EQ(beside.others, all.others);
  EXPECT_EQ(ignored_beside(VaryWeights::none, all).of_norms, all.of_norms);
  EXPECT_TRUE(ignored_beside(VaryWeights::none, all).made.empty());
  EXPECT_TRUE(ignored_beside(VaryWeights::norms, {.made = {"scale"}}).empty());
}

}  // namespace
}  // namespace assay::eval
