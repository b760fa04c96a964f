#include "judge/ties.hpp"

#include <cstdint>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "judge/compare.hpp"
#include "model/dtype.hpp"
#include "model/io_contract.hpp"

namespace assay::judge {
namespace {

template <class T>
OutputView shaped(const std::vector<T>& values, DType dtype, Shape shape) {
  return {.name = "out", .shape = shape, .dtype = dtype, .bytes = std::as_bytes(std::span(values))};
}

/// Of indices into an array.
bool ties(const std::vector<std::int64_t>& got, const std::vector<std::int64_t>& want,
          const Shape& shape, const std::vector<float>& array, const Shape& array_shape) {
  return are_ties(shaped(got, DType::int64, shape), shaped(want, DType::int64, shape),
                  {shaped(std::vector<float>{1}, DType::float32, {1}),
                   shaped(array, DType::float32, array_shape)});
}

const std::vector<float> kTwoRows = {5, 7, 7, 1, 3, 3, 2, 3};

TEST(Ties, are_indices_of_equal_numbers) {
  EXPECT_TRUE(ties({2, 0}, {1, 1}, {2}, kTwoRows, {2, 4}));
  EXPECT_TRUE(ties({2, 1, 3, 1}, {1, 2, 0, 1}, {2, 2}, kTwoRows, {2, 4}));
  EXPECT_FALSE(ties({0, 0}, {1, 0}, {2}, kTwoRows, {2, 4})) << "5 is not 7";
}

TEST(Ties, count_along_the_dimension_that_is_gone) {
  const std::vector<float> columns = {5, 3, 7, 3, 7, 2};
  EXPECT_TRUE(ties({2, 1}, {1, 0}, {2}, columns, {3, 2}));
  EXPECT_FALSE(ties({2, 2}, {1, 0}, {2}, columns, {3, 2})) << "2 is not 3";
}

TEST(Ties, count_all_elements_where_there_is_one_index) {
  EXPECT_TRUE(ties({2}, {1}, {}, kTwoRows, {2, 4}));
  EXPECT_FALSE(ties({3}, {1}, {}, kTwoRows, {2, 4}));
}

TEST(Ties, an_index_is_not_given_twice) {
  EXPECT_FALSE(ties({2, 2, 0, 1}, {1, 2, 0, 1}, {2, 2}, kTwoRows, {2, 4}));
  EXPECT_TRUE(ties({2, 2, 1, 1}, {1, 1, 0, 0}, {2, 2}, kTwoRows, {2, 4}));
}

TEST(Ties, an_index_lies_within_the_array) {
  EXPECT_FALSE(ties({4, 0}, {1, 0}, {2}, kTwoRows, {2, 4}));
  EXPECT_FALSE(ties({-2, 0}, {1, 0}, {2}, kTwoRows, {2, 4}));
}

TEST(Ties, only_indices_of_some_input_are_any) {
  EXPECT_FALSE(ties({2, 0, 1}, {1, 0, 1}, {3}, kTwoRows, {2, 4}));
  const std::vector<float> numbers = {2, 0};
  const std::vector<float> wanted = {1, 0};
  EXPECT_FALSE(are_ties(shaped(numbers, DType::float32, {2}), shaped(wanted, DType::float32, {2}),
                        {shaped(kTwoRows, DType::float32, {2, 4})}));
}

}  // namespace
}  // namespace assay::judge
