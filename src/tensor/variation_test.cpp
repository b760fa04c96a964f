#include "tensor/variation.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "model/dtype.hpp"
#include "model/io_contract.hpp"
#include "tensor/generate.hpp"

namespace assay::tensor {
namespace {

std::vector<float> numbers(const Shape& shape) {
  std::vector<float> values(element_count(shape));
  generate({.shape = shape, .dtype = DType::float32, .content = Randn{}}, 5,
           std::as_writable_bytes(std::span(values)));
  return values;
}

template <class T>
std::vector<T> other(DType dtype, const Shape& shape, std::vector<T> values) {
  vary(dtype, shape, 3, std::as_writable_bytes(std::span(values)));
  return values;
}

TEST(Variation, every_number_changes_by_a_quarter_at_most) {
  for (const Shape& shape : {Shape{16, 33}, Shape{2, 24, 24}}) {
    const auto values = numbers(shape);
    const auto varied = other(DType::float32, shape, values);
    std::size_t changed = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_NEAR(varied[i], values[i], 0.2501 * std::abs(values[i]));
      if (std::abs(varied[i] - values[i]) > 0.01 * std::abs(values[i])) ++changed;
    }
    EXPECT_GT(changed, values.size() / 2);
  }
}

TEST(Variation, sorted_rows_vary_and_stay_sorted) {
  const Shape shape = {2, 33};
  auto values = numbers(shape);
  for (auto row = values.begin(); row != values.end(); row += 33) std::sort(row, row + 33);
  const auto varied = other(DType::float32, shape, values);
  EXPECT_NE(varied, values);
  for (auto row = varied.begin(); row != varied.end(); row += 33) {
    EXPECT_TRUE(std::is_sorted(row, row + 33));
  }
}

TEST(Variation, a_symmetric_matrix_stays_one_and_a_triangular_one_too) {
  const Shape shape = {32, 32};
  auto symmetric = numbers(shape);
  auto triangular = symmetric;
  for (std::size_t i = 0; i < 32; ++i) {
    for (std::size_t j = 0; j < i; ++j) symmetric[j * 32 + i] = symmetric[i * 32 + j];
    for (std::size_t j = i + 1; j < 32; ++j) triangular[i * 32 + j] = 0;
  }
  symmetric = other(DType::float32, shape, symmetric);
  triangular = other(DType::float32, shape, triangular);
  for (std::size_t i = 0; i < 32; ++i) {
    for (std::size_t j = i + 1; j < 32; ++j) {
      EXPECT_EQ(symmetric[i * 32 + j], symmetric[j * 32 + i]);
      EXPECT_EQ(triangular[i * 32 + j], 0);
    }
  }
}

TEST(Variation, integers_change_places_within_their_rows) {
  const std::vector<std::int64_t> tokens = {7, 3, 9, 1, 12, 15, 11, 18};
  const auto varied = other(DType::int64, {2, 4}, tokens);
  EXPECT_NE(varied, tokens);
  for (const std::size_t row : {0U, 4U}) {
    EXPECT_TRUE(
        std::is_permutation(tokens.begin() + row, tokens.begin() + row + 4, varied.begin() + row));
  }
}

TEST(Variation, places_that_may_have_a_meaning_stay) {
  const std::vector<std::int64_t> offsets = {0, 3, 5, 9};
  EXPECT_EQ(other(DType::int64, {4}, offsets), offsets);
  const std::vector<std::int64_t> lengths = {9, 5, 5, 2};
  EXPECT_EQ(other(DType::int64, {4}, lengths), lengths);
  const std::vector<std::int64_t> with_none = {4, -1, 7, 2};
  EXPECT_EQ(other(DType::int64, {4}, with_none), with_none);
  const std::vector<std::uint8_t> mask = {1, 0, 1, 0};
  EXPECT_EQ(other(DType::boolean, {4}, mask), mask);
}

}  // namespace
}  // namespace assay::tensor
