#include <chrono>
#include <cstddef>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "timing/auto_trials.hpp"
#include "timing/count_rule.hpp"
#include "timing/decided_rule.hpp"
#include "timing/drift_rule.hpp"
#include "timing/median_interval_rule.hpp"
#include "timing/progress.hpp"
#include "timing/time_rule.hpp"

namespace assay::timing {
namespace {

/// Around 1000 ns, `spread` to either side in turn.
std::vector<double> figures_of(std::size_t count, double spread) {
  std::vector<double> figures;
  for (std::size_t i = 0; i < count; ++i) figures.push_back(1000 + (i % 2 == 0 ? spread : -spread));
  return figures;
}

std::vector<Pair> pairs_with(std::size_t count, double ratio, double spread) {
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < count; ++i) {
    const double noise = spread * (static_cast<double>(i % 5) - 2) / 2;
    pairs.push_back({.reference_ns = 1000 * (ratio + noise), .candidate_ns = 1000});
  }
  return pairs;
}

TEST(CountRule, counts_batches_of_one_kernel_or_pairs_of_two) {
  const auto figures = figures_of(4, 1);
  const auto pairs = pairs_with(4, 1, 0);
  const CountRule four{4};
  const CountRule five{5};
  EXPECT_TRUE(four.enough({.figures = figures, .pairs = {}}));
  EXPECT_TRUE(four.enough({.figures = {}, .pairs = pairs}));
  EXPECT_FALSE(five.enough({.figures = figures, .pairs = pairs}));
}

TEST(TimeRule, ends_with_its_time) {
  const TimeRule rule{std::chrono::seconds(2)};
  EXPECT_FALSE(rule.enough({.figures = {}, .pairs = {}, .elapsed = std::chrono::seconds(1)}));
  EXPECT_TRUE(rule.enough({.figures = {}, .pairs = {}, .elapsed = std::chrono::seconds(2)}));
}

TEST(MedianIntervalRule, needs_a_narrow_interval_and_never_ends_without_one) {
  const MedianIntervalRule rule{.relative = 0.01};
  EXPECT_TRUE(rule.enough({.figures = figures_of(12, 5), .pairs = {}}));
  EXPECT_FALSE(rule.enough({.figures = figures_of(12, 30), .pairs = {}}));
  EXPECT_FALSE(rule.enough({.figures = figures_of(5, 0), .pairs = {}}));
}

TEST(DriftRule, waits_until_times_stop_falling) {
  const DriftRule rule{.relative = 0.02, .window = 3};
  std::vector<double> figures{900, 600, 400, 300, 250, 220};
  EXPECT_FALSE(rule.enough({.figures = figures, .pairs = {}}));
  for (const double steady : {210.0, 211.0, 209.0, 210.0, 210.0, 212.0}) figures.push_back(steady);
  EXPECT_TRUE(rule.enough({.figures = figures, .pairs = {}}));
  EXPECT_FALSE(rule.enough({.figures = std::vector<double>{1, 1, 1}, .pairs = {}}));
}

TEST(DecidedRule, ends_with_the_same_with_a_narrow_interval_or_far_beyond_the_threshold) {
  const DecidedRule rule{.rule = {.threshold = 0.01}};
  EXPECT_TRUE(rule.enough({.figures = {}, .pairs = pairs_with(10, 1, 0.008)}));
  EXPECT_TRUE(rule.enough({.figures = {}, .pairs = pairs_with(10, 1.011, 0.004)}));
  EXPECT_TRUE(rule.enough({.figures = {}, .pairs = pairs_with(10, 2, 0.2)}));
  EXPECT_FALSE(rule.enough({.figures = {}, .pairs = pairs_with(10, 1.02, 0.02)}));
  EXPECT_FALSE(rule.enough({.figures = {}, .pairs = pairs_with(7, 1, 0)})) << "no interval yet";
}

TEST(AutoTrials, go_on_while_undecided_but_not_for_ever) {
  const AutoTrials trials;
  const auto quiet = pairs_with(10, 1, 0.001);
  const auto noisy = pairs_with(44, 1.02, 0.3);
  const auto many = pairs_with(160, 1.02, 0.9);
  EXPECT_TRUE(trials.enough({.figures = {}, .pairs = quiet}));
  EXPECT_FALSE(trials.enough({.figures = {}, .pairs = std::span(quiet).first(9)}));
  EXPECT_FALSE(trials.enough({.figures = {}, .pairs = noisy}));
  EXPECT_TRUE(trials.enough({.figures = {}, .pairs = many}));
  EXPECT_TRUE(trials.enough({.figures = {}, .pairs = noisy, .elapsed = std::chrono::seconds(11)}));
}

TEST(AutoTrials, look_seldom) {
  const AutoTrials trials;
  const auto quiet = pairs_with(160, 1, 0.001);
  std::vector<std::size_t> looked;
  for (std::size_t n = 1; n < 160; ++n) {
    if (trials.enough({.figures = {}, .pairs = std::span(quiet).first(n)})) looked.push_back(n);
  }
  EXPECT_EQ(looked, (std::vector<std::size_t>{10, 13, 17, 22, 28, 35, 44, 55, 69, 87, 109, 137}));
}

TEST(AutoTrials, of_one_kernel_end_with_its_median) {
  const AutoTrials trials;
  EXPECT_TRUE(trials.enough({.figures = figures_of(13, 2), .pairs = {}}));
  EXPECT_FALSE(trials.enough({.figures = figures_of(13, 100), .pairs = {}}));
}

}  // namespace
}  // namespace assay::timing
