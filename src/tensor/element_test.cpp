#include "tensor/element.hpp"

#include <array>
#include <cstddef>
#include <limits>
#include <span>

#include <gtest/gtest.h>

#include "model/dtype.hpp"

namespace assay::tensor {
namespace {

TEST(Element, small_integers_survive_in_every_dtype) {
  for (const auto& [dtype, name] : kDTypeNames) {
    std::array<std::byte, 24> bytes{};
    write_element(dtype, bytes, 2, 1.0);
    EXPECT_EQ(read_element(dtype, bytes, 2), 1.0) << name;
    EXPECT_EQ(read_element(dtype, bytes, 1), 0.0) << name;
    EXPECT_EQ(format_element(dtype, bytes, 2), "1") << name;
  }
}

TEST(Element, integers_are_held_to_their_range) {
  std::array<std::byte, 8> bytes{};
  write_element(DType::int8, bytes, 0, 1e9);
  EXPECT_EQ(read_element(DType::int8, bytes, 0), 127);
  write_element(DType::uint32, bytes, 0, -5);
  EXPECT_EQ(read_element(DType::uint32, bytes, 0), 0);
  write_element(DType::int32, bytes, 0, std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(read_element(DType::int32, bytes, 0), 0);
}

TEST(Element, sixty_four_bit_integers_print_exactly) {
  std::array<std::byte, 8> bytes{};
  bytes.fill(std::byte{0xFF});
  EXPECT_EQ(format_element(DType::uint64, bytes, 0), "18446744073709551615");
  EXPECT_EQ(format_element(DType::int64, bytes, 0), "-1");
}

TEST(Element, bool_is_true_unless_zero) {
  std::array<std::byte, 1> bytes{};
  write_element(DType::boolean, bytes, 0, 0.25);
  EXPECT_EQ(read_element(DType::boolean, bytes, 0), 1.0);
}

}  // namespace
}  // namespace assay::tensor
