#include "tensor/half.hpp"

#include <cmath>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

namespace assay::tensor {
namespace {

TEST(Float16, every_finite_value_survives_a_round_trip) {
  for (std::uint32_t bits = 0; bits < 0x10000U; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const float value = from_float16(half);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(from_float16(to_float16(value))));
    } else {
      EXPECT_EQ(to_float16(value), half);
    }
  }
}

TEST(Bfloat16, every_finite_value_survives_a_round_trip) {
  for (std::uint32_t bits = 0; bits < 0x10000U; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const float value = from_bfloat16(half);
    if (std::isnan(value)) continue;
    EXPECT_EQ(to_bfloat16(value), half);
  }
}

TEST(Float16, halfway_goes_to_the_even_neighbour) {
  EXPECT_EQ(to_float16(2049.0), to_float16(2048.0));  // spacing is 2 there
  EXPECT_EQ(to_float16(2051.0), to_float16(2052.0));
  EXPECT_EQ(from_float16(to_float16(1.0 / 3.0)), 0.33325195F);
}

TEST(Float16, edges_of_the_range) {
  EXPECT_EQ(from_float16(to_float16(65504.0)), 65504.0F);
  EXPECT_EQ(from_float16(to_float16(65519.9)), 65504.0F);
  EXPECT_TRUE(std::isinf(from_float16(to_float16(65520.0))));
  EXPECT_EQ(from_float16(to_float16(0x1p-24)), 0x1p-24F);
  EXPECT_EQ(from_float16(to_float16(0x1p-26)), 0.0F);
  EXPECT_TRUE(std::signbit(from_float16(to_float16(-0.0))));
}

TEST(Bfloat16, rounds_once_to_nearest_even) {
  EXPECT_EQ(from_bfloat16(to_bfloat16(1.0 + 0x1p-8)), 1.0F);
  EXPECT_EQ(from_bfloat16(to_bfloat16(1.0 + 0x1p-8 + 0x1p-30)), 1.0F + 0x1p-7F);
  EXPECT_TRUE(std::isinf(from_bfloat16(to_bfloat16(3.4e38 * 1.01))));
  EXPECT_TRUE(std::isnan(from_bfloat16(to_bfloat16(std::numeric_limits<double>::quiet_NaN()))));
}

}  // namespace
}  // namespace assay::tensor
