#include "judge/parts.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "judge/compare.hpp"
#include "judge/limit.hpp"
#include "model/dtype.hpp"
#include "model/io_contract.hpp"
#include "model/request.hpp"

namespace assay::judge {
namespace {

constexpr std::size_t kRows = 40;
constexpr std::size_t kColumns = 64;

std::vector<float> rows_of(float small, float offset) {
  std::vector<float> values;
  for (std::size_t i = 0; i < kRows * kColumns; ++i) {
    const float value = std::sin(static_cast<float>(i * i % 1009));
    values.push_back(i / kColumns < kRows / 2 ? offset + value : offset + small * value);
  }
  return values;
}

template <class T>
OutputView table_of(const std::vector<T>& values, DType dtype) {
  return {.name = "out",
          .shape = {kRows, kColumns},
          .dtype = dtype,
          .bytes = std::as_bytes(std::span(values))};
}

/// The rule that `got` breaks.
std::string broken(const std::vector<float>& got, const std::vector<float>& want,
                   double own_error = 0, double terms = 1, DType precision = DType::float32) {
  std::vector<double> precise;
  for (std::size_t i = 0; i < want.size(); ++i) {
    precise.push_back(static_cast<double>(want[i]) + (i % 2 == 0 ? own_error : -own_error));
  }
  double squares = 0;
  for (const float value : want) squares += static_cast<double>(value) * value;
  const double size = std::sqrt(squares / static_cast<double>(want.size()));
  const auto complaint = part_complaint(
      table_of(got, DType::float32), table_of(want, DType::float32),
      Tolerance{.atol = honest_difference(precision) * size, .rtol = honest_difference(precision)},
      {.answer = table_of(want, DType::float32),
       .precise = table_of(precise, DType::float64),
       .precision = precision,
       .terms = terms});
  return complaint ? complaint->rule : "";
}

TEST(PartComplaint, right_answers_break_no_rule) {
  EXPECT_EQ(broken(rows_of(1e-6F, 0), rows_of(1e-6F, 0)), "");
  EXPECT_EQ(broken(rows_of(1, 1000), rows_of(1, 1000)), "");
}

TEST(PartComplaint, zeros_in_rows_that_are_far_smaller_than_others_are_found) {
  EXPECT_EQ(broken(rows_of(0, 0), rows_of(1e-6F, 0)), "small_rows");
}

TEST(PartComplaint, rows_that_the_reference_does_not_know_itself_are_left_alone) {
  EXPECT_EQ(broken(rows_of(0, 0), rows_of(1e-6F, 0), 1e-6), "");
}

TEST(PartComplaint, rows_so_small_that_kernels_may_flush_them_are_left_alone) {
  EXPECT_EQ(broken(rows_of(0, 0), rows_of(1e-34F, 0)), "");
}

TEST(PartComplaint, a_few_elements_of_a_small_row_may_lie_on_the_other_side_of_an_edge) {
  auto got = rows_of(1e-6F, 0);
  for (std::size_t i = got.size() - 4; i < got.size(); ++i) got[i] += 1e-5F;
  EXPECT_EQ(broken(got, rows_of(1e-6F, 0)), "");
}

TEST(PartComplaint, what_varies_over_a_large_constant_must_be_right) {
  const auto want = rows_of(1, 1000);
  auto got = want;
  for (float& value : got) value = 1000 + 0.8F * (value - 1000);
  EXPECT_EQ(broken(got, want), "offset");
}

TEST(PartComplaint, halves_are_judged_where_their_rounding_leaves_enough_of_what_varies) {
  const auto want = rows_of(1, 10);
  auto got = want;
  for (float& value : got) value = value > 10 ? 10.6F : 9.4F;
  EXPECT_EQ(broken(got, want, 0.02, 1, DType::bfloat16), "offset");
  EXPECT_EQ(broken(got, want, 0.1, 1, DType::bfloat16), "") << "rounded to no more than that";
  for (std::size_t i = 0; i < got.size(); ++i) got[i] = want[i] + (i % 2 == 0 ? 0.1F : -0.1F);
  EXPECT_EQ(broken(got, want, 0.02, 1, DType::bfloat16), "") << "an honest kernel rounds twice";
}

TEST(PartComplaint, long_sums_may_lose_more_of_what_varies) {
  const auto want = rows_of(1, 1000);
  auto got = want;
  for (float& value : got) value -= 0.1F;
  EXPECT_EQ(broken(got, want, 0, 1 << 14), "offset");
  EXPECT_EQ(broken(got, want, 0, 1 << 20), "");
}

TEST(PartComplaint, other_orders_of_summation_may_lose_what_varies) {
  const auto want = rows_of(1e-3F, 1000);
  auto got = want;
  for (std::size_t i = 0; i < got.size(); ++i) got[i] += i % 2 == 0 ? 0.01F : -0.01F;
  EXPECT_EQ(broken(got, want), "");
}

TEST(PartComplaint, integers_and_other_shapes_are_not_its_business) {
  const std::vector<std::int32_t> whole(kRows * kColumns, 1);
  const auto view = table_of(whole, DType::int32);
  EXPECT_FALSE(part_complaint(view, view, Tolerance{}, {.answer = view, .precise = view}));
  const auto want = rows_of(1, 0);
  auto other = table_of(want, DType::float32);
  other.shape = {kRows * kColumns};
  EXPECT_FALSE(part_complaint(table_of(want, DType::float32), table_of(want, DType::float32),
                              Tolerance{}, {.answer = other, .precise = other}));
}

/// What is said of `input + got * branch` where `input + want * branch` is right.
SmallChange change(float got, float want, double own_error = 0, std::size_t rows = kRows) {
  const auto input = rows_of(1, 0);
  std::vector<float> given;
  std::vector<float> expected;
  std::vector<double> precise;
  for (std::size_t i = 0; i < input.size(); ++i) {
    const float branch = std::cos(static_cast<float>(i));
    given.push_back(input[i] + got * branch);
    expected.push_back(input[i] + want * branch);
    precise.push_back(static_cast<double>(expected[i]) + (i % 2 == 0 ? own_error : -own_error));
  }
  OutputView before = table_of(input, DType::float32);
  before.shape[0] = static_cast<std::int64_t>(rows);
  return small_change(
      table_of(given, DType::float32), table_of(expected, DType::float32),
      Tolerance{.atol = 1e-4, .rtol = 1e-4},
      {.answer = table_of(expected, DType::float32), .precise = table_of(precise, DType::float64)},
      {before});
}

TEST(SmallChange, that_is_missing_or_of_another_size_is_wrong) {
  ASSERT_TRUE(change(0, 1e-4F).complaint);
  EXPECT_EQ(change(0, 1e-4F).complaint->rule, "small_change");
  EXPECT_TRUE(change(1.3e-4F, 1e-4F).complaint);
  EXPECT_FALSE(change(1.01e-4F, 1e-4F).complaint);
  EXPECT_TRUE(change(1e-4F, 1e-4F).any);
}

TEST(SmallChange, is_left_to_the_tolerance_where_that_sees_it_or_nobody_knows_it) {
  EXPECT_FALSE(change(0, 1).any) << "large";
  EXPECT_FALSE(change(0, 1e-6F).any) << "little more than rounding";
  EXPECT_FALSE(change(0, 1e-4F, 1e-5).any) << "the reference's own error is a tenth of it";
  EXPECT_FALSE(change(0, 1e-4F, 0, kRows / 2).any) << "the input has another shape";
  EXPECT_FALSE(change(0, 0).any);
}

}  // namespace
}  // namespace assay::judge
