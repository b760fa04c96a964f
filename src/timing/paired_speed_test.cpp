#include "timing/paired_speed.hpp"

#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "model/device_state.hpp"
#include "model/timing_summary.hpp"
#include "timing/auto_trials.hpp"
#include "timing/pair_order.hpp"

namespace assay::timing {
namespace {

/// A machine as batches show it: every batch is off by some noise, all grow slower by 5 % over the
/// run, and one in twenty is disturbed.
class Machine {
 public:
  Machine(double noise, std::uint64_t seed) : noise_(noise), random_(seed), order_(seed) {}

  Pair next(double slowdown) {
    Pair pair;
    const bool reference_first = order_.reference_first();
    for (const bool reference : {reference_first, !reference_first}) {
      const double time = 10'000 * (reference ? 1 : 1 + slowdown) * disturbance();
      (reference ? pair.reference_ns : pair.candidate_ns) = time;
    }
    return pair;
  }

 private:
  double disturbance() {
    constexpr double kDriftOfBatch = 0.05 / 40;
    drift_ += kDriftOfBatch;
    double log = drift_ + noise_ * normal_(random_);
    if (random_() % 20 == 0) log += 0.2 * std::abs(normal_(random_));
    return std::exp(log);
  }

  double noise_;
  double drift_ = 0;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  PairOrder order_;
};

/// Verdicts of 100 jobs at a threshold of 1 %, each going on until it is sure.
std::map<SpeedVerdict, int> jobs(double slowdown, double noise) {
  AutoTrials trials;
  trials.decided.rule.threshold = 0.01;
  std::map<SpeedVerdict, int> verdicts;
  for (std::uint64_t job = 0; job < 100; ++job) {
    Machine machine(noise, 1000 * job + 7);
    std::vector<Pair> pairs;
    do {
      pairs.push_back(machine.next(slowdown));
    } while (!trials.enough({.figures = {}, .pairs = pairs}));
    ++verdicts[compare_paired(pairs, {.threshold = 0.01}).verdict];
  }
  return verdicts;
}

class NoisyMachine : public testing::TestWithParam<double> {};

TEST_P(NoisyMachine, calls_a_kernel_different_from_itself_in_at_most_one_of_a_hundred) {
  auto verdicts = jobs(0, GetParam());
  EXPECT_LE(verdicts[SpeedVerdict::faster] + verdicts[SpeedVerdict::slower], 1);
  EXPECT_GE(verdicts[SpeedVerdict::same], 90) << "and mostly the same, not undecided";
}

TEST_P(NoisyMachine, calls_known_slowdowns_right_in_95_of_a_hundred) {
  for (const double slowdown : {0.02, 0.05, 0.10}) {
    EXPECT_GE(jobs(slowdown, GetParam())[SpeedVerdict::slower], 95) << slowdown;
  }
}

INSTANTIATE_TEST_SUITE_P(Noise, NoisyMachine, testing::Values(0.003, 0.007, 0.015));

TEST(PairedSpeed, of_ten_pairs_on_a_very_noisy_machine_is_rarely_called_different) {
  int different = 0;
  for (std::uint64_t job = 0; job < 1000; ++job) {
    Machine machine(0.2, job);
    std::vector<Pair> pairs;
    for (int i = 0; i < 10; ++i) pairs.push_back(machine.next(0));
    const SpeedVerdict verdict = compare_paired(pairs).verdict;
    if (verdict == SpeedVerdict::faster || verdict == SpeedVerdict::slower) ++different;
  }
  EXPECT_LE(different, 14) << "one in a hundred, and what chance adds to that";
}

std::vector<Pair> pairs_with_ratio(double ratio, int count) {
  std::vector<Pair> pairs;
  for (int i = 0; i < count; ++i) {
    const double wobble = 1 + 0.001 * (i % 3 - 1);
    pairs.push_back({.reference_ns = 100 * ratio * wobble, .candidate_ns = 100});
  }
  return pairs;
}

TEST(PairedSpeed, is_reference_over_candidate_with_its_interval_confidence_and_threshold) {
  const Speed speed = compare_paired(pairs_with_ratio(2, 10), {.threshold = 0.05});
  EXPECT_NEAR(speed.speedup, 2, 0.002);
  ASSERT_TRUE(speed.interval);
  EXPECT_LE(speed.interval->low, 2);
  EXPECT_GE(speed.interval->high, 2);
  ASSERT_TRUE(speed.interval_95);
  EXPECT_GE(speed.interval_95->low, speed.interval->low);
  EXPECT_LE(speed.interval_95->high, speed.interval->high);
  EXPECT_EQ(speed.verdict, SpeedVerdict::faster);
  EXPECT_EQ(speed.confidence, 0.99);
  EXPECT_EQ(speed.threshold, 0.05);
  EXPECT_EQ(speed.pairs, 10U);
}

TEST(PairedSpeed, follows_the_threshold_of_the_request) {
  const auto pairs = pairs_with_ratio(0.97, 10);
  EXPECT_EQ(compare_paired(pairs, {.threshold = 0.01}).verdict, SpeedVerdict::slower);
  EXPECT_EQ(compare_paired(pairs, {.threshold = 0.05}).verdict, SpeedVerdict::same);
}

TEST(PairedSpeed, is_undecided_without_an_interval_for_few_pairs_or_a_clock_that_reads_nothing) {
  const Speed few = compare_paired(pairs_with_ratio(2, 7));
  EXPECT_NEAR(few.speedup, 2, 0.01);
  EXPECT_FALSE(few.interval);
  EXPECT_EQ(few.verdict, SpeedVerdict::undecided);
  auto stopped = pairs_with_ratio(2, 10);
  stopped[4].candidate_ns = 0;
  EXPECT_EQ(compare_paired(stopped).verdict, SpeedVerdict::undecided);
  EXPECT_EQ(compare_paired({}).speedup, 1);
}

TEST(PairedSpeed, is_less_sure_of_pairs_that_depend_on_each_other) {
  std::vector<Pair> in_turn;
  std::vector<Pair> in_a_row;
  for (int i = 0; i < 40; ++i) {
    in_turn.push_back({.reference_ns = 97 + 0.15 * (7 * i % 40), .candidate_ns = 100});
    in_a_row.push_back({.reference_ns = 97 + 0.15 * i, .candidate_ns = 100});  // the same, sorted
  }
  const auto width = [](const Speed& speed) { return speed.interval->high - speed.interval->low; };
  EXPECT_GT(width(compare_paired(in_a_row)), 2 * width(compare_paired(in_turn)));
}

TEST(PairedSpeed, leaves_out_pairs_with_a_batch_that_is_not_used) {
  const auto batch = [](double time, bool slowed) {
    DeviceState state;
    if (slowed) state.slowed_by = {"hw_slowdown"};
    return make_batch({time}, {}, state);
  };
  const std::vector reference{batch(1, false), batch(2, true), batch(3, false), batch(4, false)};
  const std::vector candidate{batch(5, false), batch(6, false), batch(7, true)};
  const auto pairs = pairs_of(reference, candidate);
  ASSERT_EQ(pairs.size(), 1U);
  EXPECT_EQ(pairs[0].reference_ns, 1);
  EXPECT_EQ(pairs[0].candidate_ns, 5);
}

TEST(ComparePaired, turns_that_lie_apart_do_not_widen_the_interval) {
  // Ratios that come in turns of four, 10 % apart, as rounds of short calls do on a GPU.
  std::vector<Pair> pairs;
  for (int i = 0; i < 12; ++i) {
    const double offset = std::vector{1.0, 1.1, 0.95, 1.05}[static_cast<std::size_t>(i % 4)];
    pairs.push_back({.reference_ns = 2000 * offset + i % 3, .candidate_ns = 1950});
  }
  EXPECT_EQ(compare_paired(pairs, {.threshold = 0.01}).verdict, SpeedVerdict::undecided);
  const Speed speed = compare_paired(pairs, {.threshold = 0.01, .turns = 4});
  EXPECT_EQ(speed.verdict, SpeedVerdict::faster);
  EXPECT_LT(speed.interval->high - speed.interval->low, 0.01);
}

TEST(ComparePaired, what_no_number_of_pairs_can_show_widens_the_interval) {
  const auto pairs = pairs_with_ratio(1.03, 40);
  EXPECT_EQ(compare_paired(pairs).verdict, SpeedVerdict::faster);
  EXPECT_EQ(compare_paired(pairs, {.doubt = 0.03}).verdict, SpeedVerdict::undecided);
}

}  // namespace
}  // namespace assay::timing
