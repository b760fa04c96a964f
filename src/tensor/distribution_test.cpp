#include "tensor/distribution.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "model/dtype.hpp"
#include "model/io_contract.hpp"
#include "tensor/generate.hpp"

namespace assay::tensor {
namespace {

std::vector<float> numbers(const Shape& shape, const TensorContent& content = Randn{}) {
  std::vector<float> values(element_count(shape));
  generate({.shape = shape, .dtype = DType::float32, .content = content}, 5,
           std::as_writable_bytes(std::span(values)));
  return values;
}

std::vector<float> made(const Distribution& distribution, std::vector<float> values,
                        const Shape& shape) {
  transform(distribution, DType::float32, shape, 3, std::as_writable_bytes(std::span(values)));
  return values;
}

bool measures(const std::vector<float>& values, const Shape& shape) {
  return is_measure(DType::float32, shape, std::as_bytes(std::span(values)));
}

TEST(Distribution, every_choice_differs_from_the_own_one_and_has_a_name) {
  std::set<std::string> names;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const Distribution chosen = choose_distribution(seed);
    EXPECT_FALSE(chosen.is_own());
    names.insert(describe(chosen));
  }
  EXPECT_EQ(names.size(), 26U);
  EXPECT_EQ(names.count("rows of near numbers, shifted"), 0U) << "little is left of a variance";
  EXPECT_EQ(names.count(""), 0U);
}

TEST(Distribution, four_choices_in_turn_have_all_spreads_and_no_pattern_twice) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    std::set<Pattern> patterns;
    std::set<bool> scaled_up;
    for (std::uint64_t choice = 0; choice < 4; ++choice) {
      const Distribution chosen = choose_distribution(seed, choice);
      patterns.insert(chosen.pattern);
      scaled_up.insert(chosen.spread == Spread::large || chosen.spread == Spread::large_shifted);
    }
    EXPECT_EQ(patterns.size(), 4U);
    EXPECT_EQ(scaled_up.size(), 2U);
    EXPECT_EQ(choose_distribution(seed), choose_distribution(seed, 0));
  }
}

TEST(Distribution, numbers_that_are_never_negative_get_signs_where_all_is_widened) {
  const Shape shape = {64, 65};
  const auto values = numbers(shape, Uniform{.low = 0, .high = 1});
  EXPECT_TRUE(is_never_negative(DType::float32, std::as_bytes(std::span(values))));
  const Distribution plain{.pattern = Pattern::ties, .spread = Spread::large};
  Distribution widened = plain;
  widened.widening = Widening::all;
  EXPECT_FALSE(widened.is_own());
  EXPECT_EQ(describe(widened),
            "with ties, scaled by 6, negative numbers, masks and states that are not constant");
  const auto turned = made(widened, values, shape);
  const auto not_turned = made(plain, values, shape);
  const auto negative = std::ranges::count_if(turned, [](float v) { return v < 0; });
  EXPECT_NEAR(static_cast<double>(negative), 64 * 65 / 2.0, 400);
  for (std::size_t i = 0; i < turned.size(); ++i) ASSERT_EQ(std::abs(turned[i]), not_turned[i]);

  const auto normal = numbers(shape);
  EXPECT_FALSE(is_never_negative(DType::float32, std::as_bytes(std::span(normal))));
  EXPECT_EQ(made(widened, normal, shape), made(plain, normal, shape)) << "they have signs already";
}

TEST(Distribution, within_the_range_nothing_is_larger_than_the_authors_own_by_more_than_a_tie) {
  const Shape shape = {16, 65};
  const auto values = numbers(shape);
  const float largest = *std::ranges::max_element(values);
  std::set<std::string> names;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const Distribution chosen = within_range(choose_distribution(seed));
    EXPECT_FALSE(chosen.is_own());
    if (!names.insert(describe(chosen)).second) continue;
    const auto result = made(chosen, values, shape);
    EXPECT_LE(*std::ranges::max_element(result), largest + 0.3F) << describe(chosen);
  }
  EXPECT_GE(names.size(), 8U);
}

TEST(Distribution, numbers_stay_finite_and_zeros_zero) {
  const Shape shape = {8, 33};
  auto values = numbers(shape);
  values[5] = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Distribution chosen = choose_distribution(seed);
    const auto result = made(chosen, values, shape);
    EXPECT_NE(result, values) << describe(chosen);
    for (const float value : result) ASSERT_TRUE(std::isfinite(value) && std::abs(value) < 100);
    if (chosen.pattern == Pattern::sorted || chosen.pattern == Pattern::near_rows) continue;
    EXPECT_EQ(result[5], 0) << describe(chosen);
  }
}

TEST(Distribution, a_symmetric_matrix_stays_one_and_a_triangular_one_too) {
  const Shape shape = {32, 32};
  auto values = numbers(shape);
  auto lower = values;
  for (std::size_t i = 0; i < 32; ++i) {
    for (std::size_t j = 0; j < i; ++j) values[j * 32 + i] = values[i * 32 + j];
    for (std::size_t j = i + 1; j < 32; ++j) lower[i * 32 + j] = 0;
  }
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Distribution chosen = choose_distribution(seed);
    const auto symmetric = made(chosen, values, shape);
    const auto triangular = made(chosen, lower, shape);
    for (std::size_t i = 0; i < 32; ++i) {
      for (std::size_t j = i + 1; j < 32; ++j) {
        ASSERT_EQ(symmetric[i * 32 + j], symmetric[j * 32 + i]) << describe(chosen);
        ASSERT_EQ(triangular[i * 32 + j], 0) << describe(chosen);
      }
    }
  }
}

TEST(Distribution, sorted_rows_stay_sorted) {
  const Shape shape = {6, 65};
  auto values = numbers(shape);
  const auto are_sorted = [&](const std::vector<float>& all) {
    return has_sorted_rows(DType::float32, shape, std::as_bytes(std::span(all)));
  };
  EXPECT_FALSE(are_sorted(values));
  for (auto row = values.begin(); row != values.end(); row += 65) std::sort(row, row + 65);
  EXPECT_TRUE(are_sorted(values));
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto result = made(choose_distribution(seed), values, shape);
    EXPECT_TRUE(are_sorted(result)) << describe(choose_distribution(seed));
    EXPECT_NE(result, values);
  }
  const std::vector<float> few = {1, 2, 3, 4};
  EXPECT_FALSE(has_sorted_rows(DType::float32, {4}, std::as_bytes(std::span(few)))) << "by chance";
  const std::vector<float> ones(65, 1);
  EXPECT_FALSE(has_sorted_rows(DType::float32, {65}, std::as_bytes(std::span(ones))));
}

TEST(Distribution, shifted_numbers_have_another_mean) {
  const Shape shape = {64, 64};
  const auto result = made({.spread = Spread::shifted}, numbers(shape), shape);
  double sum = 0;
  for (const float value : result) sum += value;
  EXPECT_NEAR(sum / static_cast<double>(result.size()), 3.0, 0.2);
}

TEST(Distribution, one_pass_finds_the_spread_of_rows_of_near_numbers) {
  const Shape shape = {400, 65};
  const auto result = made({.pattern = Pattern::near_rows}, numbers(shape), shape);
  int near = 0;
  for (std::size_t row = 0; row < 400; ++row) {
    float sum = 0;
    float squares = 0;
    for (std::size_t i = 0; i < 65; ++i) {
      sum += result[row * 65 + i];
      squares += result[row * 65 + i] * result[row * 65 + i];
    }
    const float mean = sum / 65;
    const float one_pass = std::sqrt(std::max(0.0F, squares / 65 - mean * mean));
    double exact = 0;
    for (std::size_t i = 0; i < 65; ++i) exact += std::pow(result[row * 65 + i] - mean, 2);
    exact = std::sqrt(exact / 65);
    EXPECT_NEAR(one_pass, exact, 2e-5) << row;
    if (exact < 0.5) ++near;
  }
  EXPECT_GT(near, 100);
  EXPECT_LT(near, 300);
}

TEST(Distribution, sparse_numbers_are_mostly_zero) {
  const Shape shape = {64, 65};
  const auto result = made({.pattern = Pattern::sparse}, numbers(shape), shape);
  const auto zeros = std::ranges::count(result, 0.0F);
  EXPECT_GT(zeros, 2 * 64 * 65 / 3);
  EXPECT_LT(zeros, 64 * 65);
}

TEST(Distribution, numbers_that_differ_stay_different_where_no_new_ties_are_wanted) {
  const Shape shape = {16, 65};
  const auto different = [](const std::vector<float>& values) {
    return std::set<float>(values.begin(), values.end()).size();
  };
  auto values = numbers(shape);
  values[7] = 0;
  for (std::uint64_t choice = 0; choice < 7; ++choice) {
    Distribution chosen = choose_distribution(5, choice);
    const auto tied = different(made(chosen, values, shape));
    EXPECT_EQ(tied + 3 < different(values), makes_ties(chosen)) << describe(chosen);
    chosen.apart = true;
    EXPECT_FALSE(makes_ties(chosen));
    const auto result = made(chosen, values, shape);
    EXPECT_GE(different(result) + 3, different(values)) << describe(chosen);
  }
  EXPECT_EQ(describe({.pattern = Pattern::sparse, .spread = Spread::small, .apart = true}),
            "sparse, no new ties, scaled by 1/16");
}

TEST(Distribution, masks_indices_probabilities_and_constants_are_no_measures) {
  EXPECT_TRUE(measures(numbers({8, 33}), {8, 33}));
  EXPECT_TRUE(measures(numbers({8, 33}, Uniform{}), {8, 33}));
  EXPECT_FALSE(measures(std::vector<float>(64, 0.5F), {64}));
  auto whole = numbers({64}, Uniform{.low = 0, .high = 50});
  for (float& value : whole) value = std::floor(value);
  EXPECT_FALSE(measures(whole, {64}));
  auto rows = numbers({4, 8}, Uniform{});
  for (std::size_t r = 0; r < 4; ++r) {
    float sum = 0;
    for (std::size_t i = 0; i < 8; ++i) sum += rows[r * 8 + i];
    for (std::size_t i = 0; i < 8; ++i) rows[r * 8 + i] /= sum;
  }
  EXPECT_FALSE(measures(rows, {4, 8}));
  std::vector<float> masked = numbers({64});
  masked[3] = -INFINITY;
  EXPECT_FALSE(measures(masked, {64}));
}

TEST(Distribution, nudging_changes_last_bits_only) {
  const auto values = numbers({256});
  auto nudged = values;
  nudge(DType::float32, 9, std::as_writable_bytes(std::span(nudged)));
  bool up = false;
  bool down = false;
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_NEAR(nudged[i], values[i], std::abs(values[i]) * 1.2e-7);
    up = up || nudged[i] > values[i];
    down = down || nudged[i] < values[i];
  }
  EXPECT_TRUE(up && down);
}

}  // namespace
}  // namespace assay::tensor
