#include "judge/compare.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "model/dtype.hpp"
#include "model/io_contract.hpp"
#include "model/request.hpp"
#include "tensor/arena.hpp"

namespace assay::judge {
namespace {

constexpr Tolerance kTight{.atol = 1e-5, .rtol = 1e-5};
const std::vector<Limit> kLimits(4, Limit(kTight));
const double kNan = std::numeric_limits<double>::quiet_NaN();
const double kInf = std::numeric_limits<double>::infinity();

template <class T>
OutputView view(const std::vector<T>& values, DType dtype, Shape shape = {}) {
  if (shape.empty()) shape = {static_cast<std::int64_t>(values.size())};
  return {.name = "out", .shape = shape, .dtype = dtype, .bytes = std::as_bytes(std::span(values))};
}

std::uint64_t mismatches(const std::vector<double>& got, const std::vector<double>& want) {
  return compare_elements(view(got, DType::float64), view(want, DType::float64), kTight).mismatches;
}

TEST(Compare, tolerance_is_atol_plus_rtol_of_the_wanted_value) {
  EXPECT_EQ(mismatches({1.0 + 1.9e-5}, {1.0}), 0U);
  EXPECT_EQ(mismatches({1.0 + 2.1e-5}, {1.0}), 1U);
  EXPECT_EQ(mismatches({1e10 + 9e4}, {1e10}), 0U);
}

TEST(Compare, nan_never_agrees_and_equal_infinities_do) {
  EXPECT_EQ(mismatches({kNan, kNan, 1}, {kNan, 1, kNan}), 3U);
  EXPECT_EQ(mismatches({kInf, -kInf}, {kInf, -kInf}), 0U);
  EXPECT_EQ(mismatches({kInf, 1}, {-kInf, kInf}), 2U);
}

TEST(Compare, nan_agrees_with_nan_only_where_asked) {
  const std::vector<double> nan = {kNan};
  const Tolerance lenient{.atol = 0, .rtol = 0, .equal_nan = true};
  const auto with = [&](const Tolerance& tolerance) {
    return compare_elements(view(nan, DType::float64), view(nan, DType::float64), tolerance);
  };
  EXPECT_EQ(with(lenient).mismatches, 0U);
  EXPECT_EQ(with(lenient).max, 0);
  EXPECT_EQ(with(lenient).sum, 0);
  EXPECT_EQ(with(kTight).mismatches, 1U);
}

TEST(Compare, nan_that_neither_wrote_does_not_agree_even_where_nan_does) {
  const Tolerance lenient{.atol = 0, .rtol = 0, .equal_nan = true};
  std::vector<float> mine(2);
  std::vector<float> wanted(2);
  tensor::poison(std::as_writable_bytes(std::span(mine)), tensor::kPoisons[1]);
  tensor::poison(std::as_writable_bytes(std::span(wanted)), tensor::kPoisons[0]);
  mine[1] = wanted[1] = std::numeric_limits<float>::quiet_NaN();  // an answer
  OutputView got = view(mine, DType::float32);
  OutputView want = view(wanted, DType::float32);
  EXPECT_EQ(compare_elements(got, want, lenient).mismatches, 0U);
  got.before = tensor::kPoisons[1];
  want.before = tensor::kPoisons[0];
  const auto result = compare_elements(got, want, lenient);
  EXPECT_EQ(result.mismatches, 1U);
  EXPECT_EQ(result.unwritten, 1U);
  EXPECT_EQ(result.wanted_unwritten, 1U);
}

TEST(Compare, nan_that_was_not_written_does_not_agree_with_nan_that_was) {
  const Tolerance lenient{.atol = 0, .rtol = 0, .equal_nan = true};
  std::vector<float> mine(2);
  tensor::poison(std::as_writable_bytes(std::span(mine)), tensor::kPoisons[1]);
  const std::vector<float> wanted(2, std::numeric_limits<float>::quiet_NaN());
  OutputView got = view(mine, DType::float32);
  got.before = tensor::kPoisons[1];
  OutputView want = view(wanted, DType::float32);
  want.before = tensor::kPoisons[0];
  const auto result = compare_elements(got, want, lenient);
  EXPECT_EQ(result.mismatches, 2U);
  EXPECT_EQ(result.unwritten, 2U);
}

TEST(Compare, integers_must_be_equal_even_past_two_to_the_53) {
  const std::vector<std::int64_t> want = {9007199254740993, 100};
  const std::vector<std::int64_t> got = {9007199254740992, 100};
  const auto result = compare_elements(view(got, DType::int64), view(want, DType::int64),
                                       Tolerance{.atol = 10, .rtol = 1});
  EXPECT_EQ(result.mismatches, 1U);
  EXPECT_EQ(result.first->got, "9007199254740992");
  EXPECT_EQ(result.first->want, "9007199254740993");
}

TEST(Compare, difference_of_integers_is_exact_past_two_to_the_53_and_over_the_whole_range) {
  using Signed = std::numeric_limits<std::int64_t>;
  using Small = std::numeric_limits<std::int8_t>;
  const auto between = [](auto got, auto want, DType dtype) {
    const std::vector gots = {got};
    const std::vector wants = {want};
    const auto result = compare_elements(view(gots, dtype), view(wants, dtype), kTight);
    EXPECT_EQ(result.sum, result.max);
    return result.max;
  };
  EXPECT_EQ(between(std::int64_t{9007199254740992}, std::int64_t{9007199254740993}, DType::int64),
            1);
  EXPECT_EQ(between(Signed::max(), Signed::min(), DType::int64), 0x1p64);
  EXPECT_EQ(between(Small::min(), Small::max(), DType::int8), 255);
  EXPECT_EQ(between(std::uint64_t{0}, ~std::uint64_t{0}, DType::uint64), 0x1p64);
  EXPECT_EQ(between(std::int32_t{-1}, std::int32_t{1}, DType::int32), 2);
}

TEST(Compare, first_mismatch_has_its_position_and_both_values) {
  const std::vector<float> want = {1, 2, 3, 4, 5, 6};
  const std::vector<float> got = {1, 2, 3, 4, 7, 8};
  const auto result = compare_elements(view(got, DType::float32, {2, 3}),
                                       view(want, DType::float32, {2, 3}), kTight);
  EXPECT_EQ(result.mismatches, 2U);
  EXPECT_EQ(result.first->index, (std::vector<std::int64_t>{1, 1}));
  EXPECT_EQ(result.first->got, "7");
  EXPECT_EQ(result.first->want, "5");
  EXPECT_EQ(result.max, 2);
}

TEST(CompareOutputs, structure_must_agree_first) {
  const std::vector<float> four(4);
  const std::vector<double> doubles(4);
  Differences totals;
  const auto reason = [&](const std::vector<OutputView>& got, const std::vector<OutputView>& want) {
    return compare_outputs(got, want, kLimits, 1, totals).value().reason;
  };
  const auto a = view(four, DType::float32);
  EXPECT_NE(reason({a, a}, {a}).find("Output count mismatch"), std::string::npos);
  EXPECT_NE(reason({a}, {view(four, DType::float32, {2, 2})})
                .find("Shape mismatch: ref=[2, 2], custom=[4]"),
            std::string::npos);
  EXPECT_NE(reason({a}, {view(doubles, DType::float64)}).find("Dtype mismatch"), std::string::npos);
}

TEST(CompareOutputs, a_numpy_array_is_no_tensor_but_a_tensor_may_stand_for_an_array) {
  const std::vector<float> four(4);
  const auto tensor = view(four, DType::float32);
  auto array = tensor;
  array.is_array = true;
  Differences totals;
  const auto wrong = compare_outputs({array}, {tensor}, kLimits, 1, totals);
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->rule, "structure");
  EXPECT_NE(wrong->reason.find("A numpy array, where the reference returns a tensor"),
            std::string::npos);
  EXPECT_FALSE(compare_outputs({array}, {array}, kLimits, 1, totals));
  EXPECT_FALSE(compare_outputs({tensor}, {array}, kLimits, 1, totals));
}

TEST(CompareOutputs, comparing_nothing_never_passes) {
  Differences totals;
  EXPECT_TRUE(compare_outputs({}, {}, kLimits, 1, totals));
  const std::vector<float> none;
  const auto empty = view(none, DType::float32, {0});
  EXPECT_TRUE(compare_outputs({empty}, {empty}, kLimits, 1, totals));
}

TEST(CompareOutputs, a_nan_that_was_written_is_called_what_it_is) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> want = {1, 2, 3, nan};
  std::vector<float> got(4);
  tensor::poison(std::as_writable_bytes(std::span(got)), tensor::kPoisons[1]);
  got[0] = nan;
  got[1] = -nan;
  got[3] = nan;
  OutputView answer = view(got, DType::float32);
  answer.before = tensor::kPoisons[1];
  Differences totals;
  const auto wrong = compare_outputs({answer}, {view(want, DType::float32)}, kLimits, 1, totals);
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->rule, "tolerance");
  EXPECT_NE(wrong->reason.find(". 2 of them are NaN where the reference has a number"),
            std::string::npos)
      << wrong->reason;
  EXPECT_NE(wrong->reason.find(". 1 of them still hold what was there before the run"),
            std::string::npos);
  EXPECT_NE(wrong->reason.find(". 1 of the expected elements are NaN"), std::string::npos);
  EXPECT_EQ(wrong->first.value().got, "nan");
}

TEST(CompareOutputs, totals_grow_over_rounds) {
  const std::vector<float> want = {1, 2};
  const std::vector<float> got = {1, 2.5};
  Differences totals;
  EXPECT_FALSE(compare_outputs({view(want, DType::float32)}, {view(want, DType::float32)}, kLimits,
                               1, totals));
  const auto wrong = compare_outputs({view(got, DType::float32)}, {view(want, DType::float32)},
                                     kLimits, 2, totals);
  EXPECT_EQ(wrong.value().round, 2);
  EXPECT_EQ(totals.compared, 4U);
  EXPECT_EQ(totals.mismatches, 1U);
  EXPECT_DOUBLE_EQ(totals.max, 0.5);
  EXPECT_DOUBLE_EQ(totals.mean(), 0.125);
  EXPECT_NE(wrong->reason.find("atol=1e-05"), std::string::npos);
}

}  // namespace
}  // namespace assay::judge
