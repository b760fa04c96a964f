#include "judge/ties.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <set>
#include <span>
#include <vector>

#include <gmock/gmock.h>
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
  const std::vector<float> other = {1};
  return !ties_in(shaped(got, DType::int64, shape), shaped(want, DType::int64, shape),
                  {shaped(other, DType::float32, {1}), shaped(array, DType::float32, array_shape)})
              .empty();
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
  EXPECT_FALSE(ties({2, 2, 1, 1}, {1, 1, 0, 0}, {2, 2}, kTwoRows, {2, 4}));
}

TEST(IndexTwice, is_found_along_any_dimension_of_indices_that_have_none_twice) {
  using Indices = std::vector<std::int64_t>;
  const auto twice = [](const Indices& got, const Indices& want, const Shape& shape) {
    return has_index_twice(shaped(got, DType::int64, shape), shaped(want, DType::int64, shape));
  };
  EXPECT_TRUE(twice({1, 1, 4, 5}, {1, 2, 4, 5}, {2, 2}));
  EXPECT_TRUE(twice({4, 2, 4, 5}, {1, 2, 4, 5}, {2, 2}));
  EXPECT_FALSE(twice({2, 1, 5, 4}, {1, 2, 4, 5}, {2, 2}));
  EXPECT_FALSE(twice({3, 3}, {4, 4}, {2})) << "the wanted ones repeat too: classes, or codes";
  const std::vector<std::int8_t> codes = {1, 1};
  const std::vector<std::int8_t> others = {1, 2};
  EXPECT_FALSE(has_index_twice(shaped(codes, DType::int8, {2}), shaped(others, DType::int8, {2})));
}

TEST(Ties, an_index_lies_within_the_array) {
  EXPECT_FALSE(ties({4, 0}, {1, 0}, {2}, kTwoRows, {2, 4}));
  EXPECT_FALSE(ties({-2, 0}, {1, 0}, {2}, kTwoRows, {2, 4}));
}

TEST(Ties, only_indices_of_some_input_are_any) {
  EXPECT_FALSE(ties({2, 0, 1}, {1, 0, 1}, {3}, kTwoRows, {2, 4}));
  const std::vector<float> numbers = {2, 0};
  const std::vector<float> wanted = {1, 0};
  EXPECT_TRUE(ties_in(shaped(numbers, DType::float32, {2}), shaped(wanted, DType::float32, {2}),
                      {shaped(kTwoRows, DType::float32, {2, 4})})
                  .empty());
}

/// The places of the numbers of each row in order.
std::vector<std::int64_t> sorted_places(const std::vector<float>& rows, std::size_t length,
                                        Order order) {
  std::vector<std::int64_t> places;
  for (std::size_t row = 0; row < rows.size() / length; ++row) {
    std::vector<std::int64_t> own(length);
    std::iota(own.begin(), own.end(), 0);
    std::ranges::stable_sort(own, [&](std::int64_t a, std::int64_t b) {
      const float one = rows[row * length + static_cast<std::size_t>(a)];
      const float other = rows[row * length + static_cast<std::size_t>(b)];
      return order == Order::descending ? one > other : one < other;
    });
    places.insert(places.end(), own.begin(), own.end());
  }
  return places;
}

TEST(PutInOrder, the_indices_name_what_comes_first) {
  const std::vector<std::int64_t> indices = {2, 1, 0, 3};
  for (const Order order : {Order::descending, Order::ascending}) {
    auto rows = kTwoRows;
    ASSERT_TRUE(put_in_order(shaped(indices, DType::int64, {2, 2}),
                             {.input = 0, .outer = 2, .length = 4, .inner = 1}, order,
                             DType::float32, std::as_writable_bytes(std::span(rows))));
    const auto places = sorted_places(rows, 4, order);
    EXPECT_THAT(std::span(places).first(2), testing::ElementsAre(2, 1));
    EXPECT_THAT(std::span(places).subspan(4, 2), testing::ElementsAre(0, 3));
  }
}

TEST(PutInOrder, numbers_of_16_bits_are_all_different) {
  constexpr std::size_t kLength = 700;
  const std::vector<std::int64_t> last = {kLength - 1};
  for (const DType dtype : {DType::bfloat16, DType::float16}) {
    std::vector<std::uint16_t> row(kLength);
    ASSERT_TRUE(put_in_order(shaped(last, DType::int64, {1}),
                             {.input = 0, .outer = 1, .length = kLength, .inner = 1},
                             Order::descending, dtype, std::as_writable_bytes(std::span(row))));
    EXPECT_EQ(std::ranges::max_element(row) - row.begin(), kLength - 1);
    EXPECT_EQ(std::set(row.begin(), row.end()).size(), kLength);
  }
}

TEST(PutInOrder, there_may_be_too_few_numbers_and_indices_outside) {
  std::vector<std::uint16_t> row(4000);
  const auto bytes = std::as_writable_bytes(std::span(row));
  const Counted counted{.input = 0, .outer = 1, .length = row.size(), .inner = 1};
  const std::vector<std::int64_t> first = {0};
  const std::vector<std::int64_t> outside = {4000};
  EXPECT_FALSE(put_in_order(shaped(first, DType::int64, {1}), counted, Order::descending,
                            DType::bfloat16, bytes));
  EXPECT_FALSE(put_in_order(shaped(outside, DType::int64, {1}), counted, Order::descending,
                            DType::float16, bytes));
}

}  // namespace
}  // namespace assay::judge
