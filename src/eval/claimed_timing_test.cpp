#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "eval/evaluation.hpp"
#include "eval/runner.hpp"
#include "eval/testkit/fake_runner.hpp"
#include "model/outcome.hpp"
#include "model/request.hpp"
#include "model/timing_mode.hpp"
#include "model/timing_summary.hpp"
#include "model/verdict.hpp"

namespace assay::eval {
namespace {

using testkit::doubles;
using testkit::FakeRunner;
using testkit::kernel;

/// Times kernels in runners that only pretend, and notes who was timed while who stood still.
class ClaimedTimingTest : public testing::Test {
 protected:
  Outcome compare(Request request, double reference_claims = 1, double candidate_claims = 1) {
    return compare(std::move(request), doubles, reference_claims, candidate_claims);
  }

  Outcome compare(Request request, testkit::Behaviour candidate, double reference_claims = 1,
                  double candidate_claims = 1) {
    request.reference = kernel();
    request.candidate = kernel();
    reference_ = &source_.add(doubles, reference_claims);
    candidate_ = &source_.add(std::move(candidate), candidate_claims);
    for (FakeRunner* const runner : {reference_, candidate_}) {
      runner->watch([this](const FakeRunner& timed) { note(timed); });
      if (runner == unstoppable_candidate()) runner->refuse_to_pause();
    }
    const EvaluationInput input{.request = request,
                                .reference = BuiltKernel{},
                                .candidate = {},
                                .secret = 5,
                                .budget = std::chrono::hours(1)};
    return std::get<Outcome>(evaluate(input, source_, clock_, {}, {}).value());
  }

  void note(const FakeRunner& timed) {
    order_ += &timed == reference_ ? 'r' : 'c';
    const FakeRunner& other = &timed == reference_ ? *candidate_ : *reference_;
    if (timed.is_paused() || !other.is_paused()) ++wrong_turns_;
  }
  [[nodiscard]] const FakeRunner* unstoppable_candidate() const {
    return unstoppable_ ? candidate_ : nullptr;
  }

  ManualClock clock_;
  testkit::FakeSource source_{clock_};
  FakeRunner* reference_ = nullptr;
  FakeRunner* candidate_ = nullptr;
  bool unstoppable_ = false;
  std::string order_;
  int wrong_turns_ = 0;
};

TEST_F(ClaimedTimingTest, one_kernel_stands_still_while_the_other_is_timed) {
  const Outcome outcome = compare({.num_trials = 20});
  EXPECT_EQ(name_of(outcome.verdict), "accepted");
  EXPECT_EQ(wrong_turns_, 0);
}

TEST_F(ClaimedTimingTest, pairs_begin_with_either_kernel) {
  (void)compare({.num_trials = 10, .warmup = 0});
  ASSERT_EQ(order_.size(), 20U);
  int reference_first = 0;
  for (std::size_t pair = 0; pair < 8; ++pair) {
    EXPECT_NE(order_[2 * pair], order_[2 * pair + 1]);
    if (order_[2 * pair] == 'r') ++reference_first;
  }
  EXPECT_EQ(reference_first, 4) << order_;
}

TEST_F(ClaimedTimingTest, a_kernel_that_stood_still_is_called_before_its_times_count) {
  (void)compare({.num_trials = 10, .warmup = 1});
  // The last 40 commands: of ten pairs, each kernel is called once to wake and once to be timed.
  ASSERT_GE(order_.size(), 40U);
  const std::string timed = order_.substr(order_.size() - 40);
  for (std::size_t i = 0; i < timed.size(); i += 2) EXPECT_EQ(timed[i], timed[i + 1]) << timed;
  const auto claimed = compare({.num_trials = 10, .warmup = 1}).candidate_timing;
  EXPECT_EQ(claimed->samples.size(), 10U);
}

TEST_F(ClaimedTimingTest, speed_comes_from_pairs_and_follows_the_threshold) {
  const Outcome slower = compare({.num_trials = 20, .timing = {.threshold = 0.01}}, 0.97, 1);
  EXPECT_EQ(slower.speed->verdict, SpeedVerdict::slower);
  EXPECT_EQ(slower.speed->pairs, 10U);
  EXPECT_EQ(slower.speed->threshold, 0.01);
  const Outcome same = compare({.num_trials = 20, .timing = {.threshold = 0.05}}, 0.97, 1);
  EXPECT_EQ(same.speed->verdict, SpeedVerdict::same);
}

TEST_F(ClaimedTimingTest, small_differences_are_not_believed_of_a_busy_machine) {
  source_.busy_part = 0.2;
  EXPECT_EQ(compare({.num_trials = 20}, 0.9, 1).speed->verdict, SpeedVerdict::undecided);
  EXPECT_EQ(compare({.num_trials = 20}, 1, 0.7).speed->verdict, SpeedVerdict::faster);
  source_.busy_part = 0;
  EXPECT_EQ(compare({.num_trials = 20}, 0.9, 1).speed->verdict, SpeedVerdict::slower);
}

TEST_F(ClaimedTimingTest, auto_stops_when_the_verdict_is_sure) {
  const Outcome outcome = compare({.num_trials = std::nullopt});
  EXPECT_EQ(outcome.speed->verdict, SpeedVerdict::same);
  EXPECT_EQ(outcome.speed->pairs, 10U);
  EXPECT_EQ(outcome.candidate_timing->samples.size(), 50U) << "five of 10 ms in each batch";
}

TEST_F(ClaimedTimingTest, result_says_what_was_measured_and_how_far_it_is_believed) {
  const Outcome outcome = compare({.num_trials = 20});
  const TimingSummary& timing = outcome.candidate_timing.value();
  EXPECT_EQ(timing.device_time.value().ns, 10e6);
  EXPECT_EQ(timing.host_time.value().ns, 10e6);
  EXPECT_FALSE(timing.kernel_time);
  EXPECT_EQ(timing.mode, TimingMode::warm);
  EXPECT_EQ(timing.trust, Trust::claimed);
  EXPECT_FALSE(timing.trust_reason.empty());
  ASSERT_EQ(timing.batches.size(), 10U);
  EXPECT_EQ(timing.batches[0].samples, 2U);
  EXPECT_EQ(timing.batches[0].wall, std::chrono::milliseconds(20));
}

TEST_F(ClaimedTimingTest, a_candidate_that_cannot_be_stopped_has_tampered) {
  unstoppable_ = true;
  const Outcome outcome = compare({.num_trials = 20});
  ASSERT_TRUE(std::holds_alternative<Tampered>(outcome.verdict)) << reason_of(outcome.verdict);
  EXPECT_EQ(std::get<Tampered>(outcome.verdict).rule, "pause");
}

TEST_F(ClaimedTimingTest, every_timed_call_has_inputs_of_its_own) {
  std::set<std::vector<float>> seen;
  const Outcome outcome = compare({.num_trials = 50, .warmup = 0}, [&](testkit::Buffers b) {
    if (b.timing) seen.emplace(b.in, b.in + testkit::kCount);
    return doubles(b);
  });
  EXPECT_EQ(name_of(outcome.verdict), "accepted") << reason_of(outcome.verdict);
  EXPECT_EQ(seen.size(), 50U);
}

TEST_F(ClaimedTimingTest, an_answer_kept_from_an_earlier_call_is_found) {
  std::vector<float> kept;
  int calls = 0;
  const Outcome outcome = compare({.num_trials = 50}, [&](testkit::Buffers b) {
    if (++calls > 10 && calls % 4 != 0) {
      std::copy(kept.begin(), kept.end(), b.out);
      return Attempt<void>{};
    }
    auto done = doubles(b);
    kept.assign(b.out, b.out + testkit::kCount);
    return done;
  });
  ASSERT_TRUE(std::holds_alternative<Tampered>(outcome.verdict)) << reason_of(outcome.verdict);
  EXPECT_EQ(std::get<Tampered>(outcome.verdict).rule, "timed_runs_differ");
}

TEST_F(ClaimedTimingTest, the_answer_of_the_last_checked_round_given_for_ever_is_found) {
  std::vector<float> kept;
  int calls = 0;
  const Outcome outcome = compare({.num_trials = 50}, [&](testkit::Buffers b) {
    if (++calls > 10) {
      std::copy(kept.begin(), kept.end(), b.out);
      return Attempt<void>{};
    }
    auto done = doubles(b);
    kept.assign(b.out, b.out + testkit::kCount);
    return done;
  });
  ASSERT_TRUE(std::holds_alternative<Tampered>(outcome.verdict)) << reason_of(outcome.verdict);
  EXPECT_EQ(std::get<Tampered>(outcome.verdict).rule, "timed_runs_differ");
}

TEST_F(ClaimedTimingTest, work_left_out_from_some_call_on_is_found) {
  int calls = 0;
  const Outcome outcome = compare({.num_trials = 50}, [&](testkit::Buffers b) {
    auto done = doubles(b);
    if (++calls > 20) b.out[7] += 1;
    return done;
  });
  ASSERT_TRUE(std::holds_alternative<Tampered>(outcome.verdict)) << reason_of(outcome.verdict);
  EXPECT_EQ(std::get<Tampered>(outcome.verdict).rule, "timed_runs_differ");
}

TEST_F(ClaimedTimingTest, a_kernel_that_is_wrong_over_some_inputs_gives_a_wrong_answer) {
  std::optional<float> first;  // what the checked round began with
  const Outcome outcome = compare({.num_trials = 50, .rounds = 1}, [&](testkit::Buffers b) {
    auto done = doubles(b);
    if (!first) first = b.in[0];
    if (b.in[0] != *first) b.out[0] += 1;
    return done;
  });
  ASSERT_TRUE(std::holds_alternative<WrongAnswer>(outcome.verdict)) << reason_of(outcome.verdict);
  EXPECT_THAT(reason_of(outcome.verdict), testing::HasSubstr("the inputs of a timed call"));
}

TEST_F(ClaimedTimingTest, modes_that_cpu_has_not_are_refused) {
  const Outcome outcome = compare({.timing = {.mode = TimingMode::graph}});
  ASSERT_TRUE(std::holds_alternative<Unsupported>(outcome.verdict));
  EXPECT_EQ(reason_of(outcome.verdict), kOnlyWarmOnCpu);
  EXPECT_EQ(name_of(compare({.timing = {.mode = TimingMode::warm}}).verdict), "accepted");
}

}  // namespace
}  // namespace assay::eval
