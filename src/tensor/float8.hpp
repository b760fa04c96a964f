#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "tensor/half.hpp"

namespace assay::tensor {

// The two 8-bit floats of machine learning, as their bits. E5M2 is the upper half of a binary16.
// E4M3FN has no infinities: its largest pattern is NaN, and what is too large becomes NaN, as in
// torch.

[[nodiscard]] constexpr double from_float8_e5m2(std::uint8_t bits) {
  return static_cast<double>(from_float16(static_cast<std::uint16_t>(bits << 8U)));
}

[[nodiscard]] constexpr std::uint8_t to_float8_e5m2(double value) {
  const unsigned packed = pack_half<2, 5>(value);
  return static_cast<std::uint8_t>((packed >> 8U & 0x80U) | (packed & 0x7FU));
}

[[nodiscard]] constexpr double from_float8_e4m3fn(std::uint8_t bits) {
  constexpr double kLeast = 0x1p-9;  // the step of subnormals
  if ((bits & 0x7FU) == 0x7FU) return std::numeric_limits<double>::quiet_NaN();
  const unsigned exponent = (bits >> 3U) & 0xFU;
  const unsigned mantissa = bits & 0x7U;
  double magnitude = exponent == 0 ? mantissa * kLeast : (8U + mantissa) * kLeast;
  for (unsigned i = 1; i < exponent; ++i) magnitude *= 2;
  return (bits & 0x80U) == 0 ? magnitude : -magnitude;
}

[[nodiscard]] inline std::uint8_t to_float8_e4m3fn(double value) {
  constexpr std::uint8_t kNan = 0x7F;
  const std::uint8_t sign = std::signbit(value) ? 0x80 : 0;
  if (!std::isfinite(value)) return sign | kNan;
  // pack_half keeps the largest exponent for infinities. Large numbers are packed as a quarter,
  // which is exact, and the exponent is put back.
  const double size = std::abs(value);
  if (size < 128) return sign | static_cast<std::uint8_t>(pack_half<3, 4>(size) & 0x7FU);
  const auto packed = static_cast<unsigned>(pack_half<3, 4>(size / 4) & 0x7FU) + (2U << 3U);
  return sign | static_cast<std::uint8_t>(packed >= kNan ? kNan : packed);
}

}  // namespace assay::tensor
