#include "judge/limit.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "judge/compare.hpp"
#include "model/dtype.hpp"
#include "model/request.hpp"
#include "tensor/half.hpp"

namespace assay::judge {
namespace {

template <class T>
OutputView view(const std::vector<T>& values, DType dtype) {
  return {.name = "out",
          .shape = {static_cast<std::int64_t>(values.size())},
          .dtype = dtype,
          .bytes = std::as_bytes(std::span(values))};
}

std::vector<float> normal(std::size_t count, double size = 1) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> draw(0, size);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(draw(random));
  return values;
}

std::uint64_t wrong(const std::vector<float>& got, const std::vector<float>& want,
                    const Evidence& evidence) {
  const OutputView wanted = view(want, DType::float32);
  const Limit limit = measure_limit(wanted, 0, evidence).limit;
  return compare_elements(view(got, DType::float32), wanted, limit).mismatches;
}

template <class Change>
std::vector<float> changed(std::vector<float> values, const Change& change) {
  for (float& value : values) value = change(value);
  return values;
}

constexpr Evidence kMeasured{.precision = DType::float32};

TEST(Limit, rounding_of_float32_passes_and_one_precision_lower_does_not) {
  for (const double size : {1e-6, 1.0, 1e6}) {
    const auto want = normal(4096, size);
    EXPECT_EQ(wrong(changed(want, [](float v) { return v * (1 + 1e-6F); }), want, kMeasured), 0U);
    const auto half = changed(want, [&](float v) {
      return static_cast<float>(tensor::from_float16(tensor::to_float16(v / size)) * size);
    });
    EXPECT_GT(wrong(half, want, kMeasured), 0U) << size;
    const auto brain =
        changed(want, [](float v) { return tensor::from_bfloat16(tensor::to_bfloat16(v)); });
    EXPECT_GT(wrong(brain, want, kMeasured), 0U) << size;
  }
}

TEST(Limit, lower_precision_passes_where_it_is_allowed) {
  const auto want = normal(4096);
  const auto half =
      changed(want, [](float v) { return tensor::from_float16(tensor::to_float16(v)); });
  EXPECT_EQ(wrong(half, want, {.allow = {.tf32 = true}, .precision = DType::float32}), 0U);
  const auto brain =
      changed(want, [](float v) { return tensor::from_bfloat16(tensor::to_bfloat16(v)); });
  EXPECT_EQ(wrong(brain, want, {.allow = {.bfloat16 = true}, .precision = DType::float32}), 0U);
  EXPECT_GT(wrong(brain, want, {.allow = {.tf32 = true}, .precision = DType::float32}), 0U);
}

TEST(Limit, the_next_precision_below_is_told_by_the_name_that_allows_it) {
  const auto want = normal(4096);
  const auto wanted = view(want, DType::float32);
  const auto rounded = changed(want, [](float v) {
    return static_cast<float>(tensor::from_float16(tensor::to_float16(v)));
  });
  const auto next = next_allowance(measure_limit(wanted, 0, kMeasured));
  ASSERT_TRUE(next);
  EXPECT_EQ(next->name, "tf32");
  EXPECT_EQ(compare_elements(view(rounded, DType::float32), wanted, next->limit).mismatches, 0U);
  EXPECT_EQ(next_allowance(measure_limit(wanted, 0, {.precision = DType::float16}))->name,
            "bfloat16");
  EXPECT_FALSE(next_allowance(measure_limit(wanted, 0, {.precision = DType::bfloat16})));
}

TEST(Limit, what_the_reference_is_off_by_itself_is_allowed) {
  const auto exact = normal(4096);
  std::vector<double> precise(exact.begin(), exact.end());
  // As TF32 would give it: off by some ten-thousandths of the outputs' size.
  const auto noise = normal(4096, 4e-4);
  std::vector<float> want = exact;
  for (std::size_t i = 0; i < want.size(); ++i) want[i] += noise[i];
  Evidence evidence = kMeasured;
  EXPECT_GT(wrong(exact, want, evidence), 0U);
  evidence.precise = {view(precise, DType::float64)};
  EXPECT_EQ(wrong(exact, want, evidence), 0U);
  EXPECT_GT(wrong(changed(exact, [](float v) { return v * 1.02F; }), want, evidence), 0U);
}

TEST(Limit, rounding_of_the_answer_itself_leaves_no_room_for_eight_bits) {
  const auto exact = normal(4096);
  const std::vector<double> precise(exact.begin(), exact.end());
  const auto rounded =
      changed(exact, [](float v) { return tensor::from_bfloat16(tensor::to_bfloat16(v)); });
  const auto noise = normal(4096, 0.011);  // of products of 8-bit integers, relative to their sums
  std::vector<std::uint16_t> want;
  std::vector<std::uint16_t> got;
  std::vector<std::uint16_t> next;  // one step away: rounded to the other side
  for (std::size_t i = 0; i < exact.size(); ++i) {
    want.push_back(tensor::to_bfloat16(rounded[i]));
    got.push_back(tensor::to_bfloat16(exact[i] + noise[(i * 7) % noise.size()]));
    next.push_back(static_cast<std::uint16_t>(want.back() + 1));
  }
  const OutputView wanted = view(want, DType::bfloat16);
  const Evidence evidence{.precise = {view(precise, DType::float64)}, .precision = DType::bfloat16};
  const Limit limit = measure_limit(wanted, 0, evidence).limit;
  EXPECT_EQ(compare_elements(view(next, DType::bfloat16), wanted, limit).mismatches, 0U);
  EXPECT_GT(compare_elements(view(got, DType::bfloat16), wanted, limit).mismatches, 0U);
}

TEST(Limit, sums_of_16_bit_numbers_are_not_made_in_16_bits) {
  const std::vector<float> want = {45.0F};  // of two thousand numbers
  const std::vector<float> nudged = {45.2F};
  Evidence evidence{.nudged = {view(nudged, DType::float32)},
                    .precision = DType::bfloat16,
                    .inputs = DType::bfloat16,
                    .terms = 2000};
  EXPECT_EQ(wrong({43.5F}, want, evidence), 0U);
  EXPECT_EQ(wrong({33.0F}, want, evidence), 1U);
}

TEST(Limit, a_float64_run_that_computes_something_else_is_not_believed) {
  const auto want = normal(256);
  std::vector<double> unrelated(256, 5.0);
  Evidence evidence = kMeasured;
  evidence.precise = {view(unrelated, DType::float64)};
  const Measured measured = measure_limit(view(want, DType::float32), 0, evidence);
  EXPECT_FALSE(measured.has_precise);
  EXPECT_EQ(measured.noise, 0);
}

TEST(Limit, long_sums_may_differ_as_much_as_their_order_makes_them) {
  const std::vector<float> want = {10.0F};  // of a million numbers that cancel
  const std::vector<float> got = {10.03F};
  const std::vector<float> nudged = {10.00006F};
  Evidence evidence = kMeasured;
  EXPECT_EQ(wrong(got, want, evidence), 1U);
  evidence.nudged = {view(nudged, DType::float32)};
  evidence.terms = 1e6;
  EXPECT_EQ(wrong(got, want, evidence), 0U);
}

TEST(Limit, tolerance_of_a_request_is_taken_as_it_is) {
  const auto want = normal(64, 1e-6);
  const std::vector<float> zeros(64, 0.0F);
  const Evidence evidence{.rule = ToleranceRule::request, .given = {.atol = 1e-2, .rtol = 0}};
  EXPECT_EQ(wrong(zeros, want, evidence), 0U);
  const Limit limit = measure_limit(view(want, DType::float32), 0, evidence).limit;
  EXPECT_EQ(limit.tolerance.atol, 1e-2);
  EXPECT_EQ(limit.tolerance.rtol, 0);
}

TEST(Limit, tolerance_of_a_request_grows_with_the_outputs_of_other_inputs) {
  const auto want = normal(64, 36);
  const Evidence evidence{.rule = ToleranceRule::request,
                          .given = {.atol = 1e-2, .rtol = 0},
                          .precision = DType::float32,
                          .growth = 36};
  EXPECT_NEAR(measure_limit(view(want, DType::float32), 0, evidence).limit.tolerance.atol, 0.36,
              1e-9);
}

TEST(Limit, compatible_tolerance_is_relative_to_the_size_of_the_output) {
  const Evidence evidence{.rule = ToleranceRule::compatible,
                          .given = {.atol = 1e-2, .rtol = 1e-2},
                          .precision = DType::float32};
  const auto small = normal(64, 1e-6);
  EXPECT_GT(wrong(std::vector<float>(64, 0.0F), small, evidence), 0U);
  const auto large = normal(16384, 100);
  const auto noise = normal(16384, 100 * 4e-4);  // TF32
  auto got = large;
  for (std::size_t i = 0; i < got.size(); ++i) got[i] += noise[i];
  EXPECT_EQ(wrong(got, large, evidence), 0U);
}

TEST(Limit, a_mask_does_not_hide_the_numbers_beside_it) {
  auto want = normal(1000);
  for (std::size_t i = 0; i < 300; ++i) want[i] = -1e9F;
  auto got = want;
  got[999] += 0.1F;
  EXPECT_EQ(wrong(got, want, kMeasured), 1U);
}

TEST(Limit, integers_have_none) {
  const std::vector<std::int32_t> want = {1, 2, 3};
  const Measured measured = measure_limit(view(want, DType::int32), 0, kMeasured);
  EXPECT_EQ(measured.size, 0);
}

TEST(Limit, nan_agrees_with_nan_where_the_answer_has_numbers_too) {
  auto want = normal(4096);
  want[7] = NAN;
  EXPECT_EQ(wrong(want, want, kMeasured), 0U);
  EXPECT_EQ(wrong(changed(want, [](float v) { return std::isnan(v) ? 0 : v; }), want, kMeasured),
            1U);
  EXPECT_EQ(wrong(changed(want, [](float) { return NAN; }), want, kMeasured), 4095U);
  const std::vector<float> nothing(64, NAN);
  EXPECT_EQ(wrong(nothing, nothing, kMeasured), 64U);
}

TEST(MeasureLimit, a_precise_answer_that_is_no_float64_is_not_read_as_one) {
  const std::vector<float> want = {1, 2, 3, 4};
  Evidence evidence{.rule = ToleranceRule::measured};
  evidence.precise = {view(want, DType::float32)};
  EXPECT_TRUE(measure_limit(view(want, DType::float32), 0, evidence).limit.precise.empty());
}

}  // namespace
}  // namespace assay::judge
