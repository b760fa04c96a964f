#include "eval/checking.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "eval/blame.hpp"
#include "eval/evaluation.hpp"
#include "eval/pair.hpp"
#include "eval/progress.hpp"
#include "eval/runner.hpp"
#include "eval/testkit/fake_runner.hpp"
#include "model/outcome.hpp"
#include "model/request.hpp"
#include "model/verdict.hpp"

namespace assay::eval {
namespace {

using namespace testkit;

class CheckingTest : public testing::Test {
 protected:
  /// Checks two kernels as an evaluation does before it times them.
  Attempt<void> check(const Request& request) {
    input_.emplace(EvaluationInput{
        .request = request,
        .reference = request.reference ? std::optional(BuiltKernel{}) : std::nullopt,
        .candidate = {},
        .secret = 42,
        .budget = std::chrono::seconds(100)});
    pair_.emplace(*input_, source_, blame_);
    checking_.emplace(*input_, *pair_, blame_, progress_, outcome_);
    if (auto ready = pair_->prepare(outcome_, bounds_); !ready) return ready;
    return checking_->check(bounds_);
  }
  /// The candidate's input replaced by `input`; its output stays blank.
  Attempt<JudgedAnswer> judge_over(const std::vector<float>& input) {
    auto contents = pair_->candidate().contents();
    contents[0] = std::as_bytes(std::span(input));
    return checking_->judge_over(contents, bounds_);
  }

  ManualClock clock_;
  FakeSource source_{clock_};
  Blame blame_{std::chrono::seconds(100)};
  Progress progress_;
  Bounds bounds_{Deadline(clock_, std::chrono::seconds(100)), {}};
  Outcome outcome_;
  std::optional<EvaluationInput> input_;
  std::optional<Pair> pair_;
  std::optional<Checking> checking_;
};

TEST_F(CheckingTest, judges_the_candidate_over_given_bytes_and_hands_out_its_answer) {
  source_.add(doubles);
  source_.add(doubles);
  const Request request{.reference = kernel(), .candidate = kernel()};
  ASSERT_TRUE(check(request));
  const std::vector<float> input(kCount, 21.0F);
  const auto judged = judge_over(input);
  ASSERT_TRUE(judged);
  EXPECT_FALSE(judged->wrong);
  ASSERT_EQ(judged->candidate.views.size(), 1U);
  float first = 0;
  std::memcpy(&first, judged->candidate.views[0].bytes.data(), sizeof(first));
  EXPECT_EQ(first, 42.0F);
}

TEST_F(CheckingTest, answer_kept_from_the_rounds_is_wrong_over_given_bytes) {
  source_.add(doubles);
  int runs = 0;
  std::vector<float> kept;
  source_.add([&](testkit::Buffers b) {
    if (++runs > 7) {  // three rounds, the first twice, the second with four changes
      std::copy_n(kept.data(), kCount, b.out);
      return Attempt<void>{};
    }
    auto done = doubles(b);
    kept.assign(b.out, b.out + kCount);
    return done;
  });
  const Request request{.reference = kernel(), .candidate = kernel()};
  ASSERT_TRUE(check(request));
  const std::vector<float> input(kCount, 21.0F);
  const auto judged = judge_over(input);
  ASSERT_TRUE(judged);
  ASSERT_TRUE(judged->wrong);
  EXPECT_EQ(judged->wrong->mismatches, kCount);
  EXPECT_EQ(judged->wrong->first->want, "42");
}

TEST_F(CheckingTest, lone_candidate_answers_over_given_bytes_unjudged) {
  source_.add(doubles);
  const Request request{.candidate = kernel()};
  ASSERT_TRUE(check(request));
  const std::vector<float> input(kCount, 3.0F);
  const auto judged = judge_over(input);
  ASSERT_TRUE(judged);
  EXPECT_FALSE(judged->wrong);
}

TEST_F(CheckingTest, a_kernel_stands_still_while_its_answer_is_read) {
  source_.add(doubles);
  const FakeRunner& candidate = source_.add(doubles);
  const Request request{.reference = kernel(), .candidate = kernel()};
  ASSERT_TRUE(check(request));
  EXPECT_TRUE(candidate.is_paused()) << "until its next command";
}

/// Right for numbers as the author's inputs have them; beyond, it gives infinities.
Attempt<void> doubles_or_overflows(testkit::Buffers b) {
  for (std::size_t i = 0; i < kCount; ++i) {
    b.out[i] = std::abs(b.in[i]) > 8 ? INFINITY : 2 * b.in[i];
  }
  return {};
}

TEST_F(CheckingTest, overflow_beyond_the_authors_inputs_is_told_and_not_refused) {
  source_.add(doubles);
  source_.add(doubles_or_overflows);
  const Request request{.reference = kernel(), .candidate = kernel(), .rounds = 30};
  ASSERT_TRUE(check(request));
  const auto warning = std::ranges::find(outcome_.warnings, "overflows", &Warning::code);
  ASSERT_NE(warning, outcome_.warnings.end());
  EXPECT_EQ(std::ranges::count(outcome_.warnings, "overflows", &Warning::code), 1);
  EXPECT_EQ(outcome_.check->rounds_passed, 30);
  EXPECT_TRUE(std::isfinite(outcome_.check->max_difference));
  EXPECT_LE(outcome_.check->tolerance->used, 1);
}

TEST_F(CheckingTest, a_strict_request_refuses_overflow) {
  source_.add(doubles);
  source_.add(doubles_or_overflows);
  const Request request{.reference = kernel(), .candidate = kernel(), .strict = true, .rounds = 30};
  const auto checked = check(request);
  ASSERT_FALSE(checked);
  EXPECT_TRUE(std::holds_alternative<WrongAnswer>(std::get<Fate>(checked.error()).verdict));
}

TEST_F(CheckingTest, wrong_numbers_beside_an_overflow_are_refused) {
  source_.add(doubles);
  source_.add([](testkit::Buffers b) {
    auto done = doubles_or_overflows(b);
    if (std::abs(b.in[0]) > 6) b.out[0] = 1;
    return done;
  });
  const Request request{.reference = kernel(), .candidate = kernel(), .rounds = 60};
  EXPECT_FALSE(check(request));
}

/// Right for numbers that all differ, as those of the author do.
Attempt<void> doubles_what_is_new(testkit::Buffers b) {
  std::set<float> seen;
  for (std::size_t i = 0; i < kCount; ++i) {
    b.out[i] = seen.insert(b.in[i]).second ? 2 * b.in[i] : 1;
  }
  return {};
}

TEST_F(CheckingTest, other_answers_where_changed_inputs_have_ties_are_told_and_not_refused) {
  source_.add(doubles);
  source_.add(doubles_what_is_new);
  const Request request{.reference = kernel(), .candidate = kernel(), .rounds = 30};
  const auto checked = check(request);
  ASSERT_TRUE(checked) << std::get<WrongAnswer>(std::get<Fate>(checked.error()).verdict).reason;
  EXPECT_EQ(std::ranges::count(outcome_.warnings, "ties", &Warning::code), 1);
  EXPECT_EQ(outcome_.check->rounds_passed, 30);
  EXPECT_LE(outcome_.check->tolerance->used, 1);
}

TEST_F(CheckingTest, a_strict_request_refuses_other_answers_where_there_are_ties) {
  source_.add(doubles);
  source_.add(doubles_what_is_new);
  const Request request{.reference = kernel(), .candidate = kernel(), .strict = true, .rounds = 30};
  const auto checked = check(request);
  ASSERT_FALSE(checked);
  EXPECT_TRUE(std::holds_alternative<WrongAnswer>(std::get<Fate>(checked.error()).verdict));
}

TEST_F(CheckingTest, what_is_wrong_without_ties_too_is_refused_for_what_was_seen_first) {
  source_.add(doubles);
  source_.add([](testkit::Buffers b) {
    auto done = doubles(b);
    for (std::size_t i = 0; i < kCount; ++i) {
      if (std::abs(b.in[i]) < 0.001F) b.out[i] = 1;
    }
    return done;
  });
  const Request request{.reference = kernel(), .candidate = kernel(), .rounds = 30};
  const auto checked = check(request);
  ASSERT_FALSE(checked);
  const auto& verdict = std::get<Fate>(checked.error()).verdict;
  ASSERT_TRUE(std::holds_alternative<WrongAnswer>(verdict));
  EXPECT_EQ(std::get<WrongAnswer>(verdict).reason.find("no new ties"), std::string::npos);
  EXPECT_TRUE(outcome_.warnings.empty());
}

TEST_F(CheckingTest, numbers_are_made_larger_and_smaller_even_in_few_rounds) {
  source_.add(doubles);
  float largest = 0;
  source_.add([&](testkit::Buffers b) {
    for (std::size_t i = 0; i < kCount; ++i) largest = std::max(largest, std::abs(b.in[i]));
    return doubles(b);
  });
  const Request request{.reference = kernel(), .candidate = kernel(), .rounds = 3};
  ASSERT_TRUE(check(request));
  EXPECT_EQ(outcome_.check->rounds_passed, 3);
  EXPECT_EQ(outcome_.check->inputs.size(), 4U);
  EXPECT_GT(largest, 12) << "some are scaled by six";
}

TEST_F(CheckingTest, not_a_number_over_the_authors_own_inputs_is_refused) {
  source_.add(doubles);
  source_.add([](testkit::Buffers b) {
    auto done = doubles(b);
    b.out[5] = NAN;
    return done;
  });
  const Request request{.reference = kernel(), .candidate = kernel()};
  EXPECT_FALSE(check(request));
}

}  // namespace
}  // namespace assay::eval
