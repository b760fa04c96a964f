// The two 8-bit floats of machine learning, which the processor and the GPU read by the same code.
#include <cmath>
#include <limits>

#include <device_code/work.hpp>
#include <gtest/gtest.h>

namespace assay::tensor {
namespace {

TEST(Float8, known_patterns_are_the_numbers_of_the_formats) {
  EXPECT_EQ(work::number_of_e4m3fn(0x38), 1.0);
  EXPECT_EQ(work::number_of_e4m3fn(0x7E), 448.0);
  EXPECT_EQ(work::number_of_e4m3fn(0x81), -0x1p-9);
  EXPECT_TRUE(std::isnan(work::number_of_e4m3fn(0xFF)));
  EXPECT_EQ(work::number_of_e5m2(0x3C), 1.0);
  EXPECT_EQ(work::number_of_e5m2(0x7B), 57344.0);
  EXPECT_TRUE(std::isinf(work::number_of_e5m2(0xFC)));
  EXPECT_TRUE(std::isnan(work::number_of_e5m2(0x7F)));
}

TEST(Float8, every_pattern_comes_back) {
  for (unsigned i = 0; i < 256; ++i) {
    if (!std::isnan(work::number_of_e4m3fn(i))) {
      EXPECT_EQ(work::packed_e4m3fn(work::number_of_e4m3fn(i)), i);
    }
    if (!std::isnan(work::number_of_e5m2(i))) {
      EXPECT_EQ(work::packed_e5m2(work::number_of_e5m2(i)), i);
    }
  }
}

TEST(Float8, numbers_between_go_to_the_nearest_and_ties_to_the_even_one) {
  EXPECT_EQ(work::number_of_e4m3fn(work::packed_e4m3fn(1.0625)), 1.0);
  EXPECT_EQ(work::number_of_e4m3fn(work::packed_e4m3fn(1.1875)), 1.25);
  EXPECT_EQ(work::number_of_e4m3fn(work::packed_e4m3fn(-464)), -448);
  EXPECT_EQ(work::number_of_e5m2(work::packed_e5m2(1.125)), 1.0);
}

TEST(Float8, what_is_too_large_is_nan_or_infinite_as_in_torch) {
  EXPECT_TRUE(std::isnan(work::number_of_e4m3fn(work::packed_e4m3fn(465))));
  EXPECT_TRUE(std::isnan(
      work::number_of_e4m3fn(work::packed_e4m3fn(std::numeric_limits<double>::infinity()))));
  EXPECT_TRUE(std::isinf(work::number_of_e5m2(work::packed_e5m2(1e6))));
}

}  // namespace
}  // namespace assay::tensor
