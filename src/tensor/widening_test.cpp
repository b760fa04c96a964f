#include "tensor/widening.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "model/dtype.hpp"

namespace assay::tensor {
namespace {

template <class T>
bool widens(Widening widening, DType dtype, const std::vector<T>& values) {
  return is_widened(widening, dtype, std::as_bytes(std::span(values)));
}

template <class T>
std::vector<T> widened(DType dtype, std::vector<T> values) {
  widen(dtype, 7, std::as_writable_bytes(std::span(values)));
  return values;
}

TEST(Widening, a_mask_that_lets_everything_pass_gets_some_zeros) {
  const std::vector<float> mask(4000, 1);
  EXPECT_TRUE(widens(Widening::masks, DType::float32, mask));
  EXPECT_FALSE(widens(Widening::none, DType::float32, mask));
  const auto result = widened(DType::float32, mask);
  const auto zeros = std::ranges::count(result, 0.0F);
  EXPECT_EQ(zeros + std::ranges::count(result, 1.0F), 4000);
  EXPECT_NEAR(static_cast<double>(zeros), 500, 100);
}

TEST(Widening, flags_that_are_all_alike_are_masks) {
  EXPECT_TRUE(widens(Widening::masks, DType::boolean, std::vector<std::uint8_t>(64, 0)));
  const auto result = widened(DType::boolean, std::vector<std::uint8_t>(800, 0));
  EXPECT_GT(std::ranges::count(result, 1), 50);
  EXPECT_LT(std::ranges::count(result, 1), 150);
  EXPECT_TRUE(widens(Widening::masks, DType::int64, std::vector<std::int64_t>(64, 1)));
}

TEST(Widening, a_state_of_zeros_gets_small_numbers_only_where_all_is_widened) {
  const std::vector<float> state(100, 0);
  EXPECT_FALSE(widens(Widening::masks, DType::float32, state));
  EXPECT_TRUE(widens(Widening::all, DType::float32, state));
  const auto result = widened(DType::float32, state);
  EXPECT_TRUE(std::ranges::all_of(result, [](float v) { return v >= 0 && v <= 0.5F; }));
  EXPECT_GE(std::ranges::count_if(result, [](float v) { return v > 0.01F; }), 90);
}

TEST(Widening, switches_indices_and_numbers_stay) {
  EXPECT_FALSE(widens(Widening::all, DType::boolean, std::vector<std::uint8_t>(1, 1)));
  EXPECT_FALSE(widens(Widening::all, DType::boolean, std::vector<std::uint8_t>(15, 1)));
  EXPECT_FALSE(widens(Widening::all, DType::float32, std::vector<float>(1, 0)));
  EXPECT_FALSE(widens(Widening::all, DType::int64, std::vector<std::int64_t>(64, 0)));
  EXPECT_FALSE(widens(Widening::all, DType::int64, std::vector<std::int64_t>(64, 5)));
  std::vector<float> causal(64, 1);
  causal[9] = 0;
  EXPECT_FALSE(widens(Widening::all, DType::float32, causal));
  EXPECT_FALSE(widens(Widening::all, DType::float32, std::vector<float>{}));
}

}  // namespace
}  // namespace assay::tensor
