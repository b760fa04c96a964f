#pragma once

#include <bit>
#include <cstdint>

namespace assay::tensor {

// IEEE binary16 and bfloat16 as their bits. Inline: arrays of millions pass through here.

/// Rounds once, to nearest even, to a format with `kMantissaBits` stored bits, and packs it.
template <unsigned kMantissaBits, unsigned kExponentBits>
[[nodiscard]] constexpr std::uint16_t pack_half(double value) {
  constexpr int kMinExponent = 2 - (1 << (kExponentBits - 1U));
  constexpr std::uint32_t kInfinity = ((1U << kExponentBits) - 1U) << kMantissaBits;
  constexpr unsigned kDoubleMantissa = 52;
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto sign = static_cast<std::uint32_t>(bits >> 48U) & 0x8000U;
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << kDoubleMantissa) - 1U);
  const int field = static_cast<int>(bits >> kDoubleMantissa) & 0x7FF;
  if (field == 0x7FF) {
    const std::uint32_t quiet = fraction == 0 ? 0 : 1U << (kMantissaBits - 1U);
    return static_cast<std::uint16_t>(sign | kInfinity | quiet);
  }
  const int exponent = field - 1023;
  if (exponent > -kMinExponent + 1) return static_cast<std::uint16_t>(sign | kInfinity);

  // Steps of the format at this exponent; below the least one the steps stay as large as there.
  // A double too small for 63 bits of shift is less than half a step, as are its subnormals.
  const unsigned below =
      exponent < kMinExponent ? static_cast<unsigned>(kMinExponent - exponent) : 0;
  const unsigned shift = kDoubleMantissa - kMantissaBits + below;
  if (shift > 62) return static_cast<std::uint16_t>(sign);
  const std::uint64_t mantissa = fraction | (std::uint64_t{1} << kDoubleMantissa);
  const std::uint64_t half_less_one = (std::uint64_t{1} << (shift - 1U)) - 1U;
  const std::uint64_t steps = (mantissa + half_less_one + ((mantissa >> shift) & 1U)) >> shift;
  // Rounding up to the next power of two carries into the exponent by itself.
  const std::uint32_t scale =
      below == 0 ? static_cast<std::uint32_t>(exponent - kMinExponent) << kMantissaBits : 0;
  const std::uint32_t packed = scale + static_cast<std::uint32_t>(steps);
  return static_cast<std::uint16_t>(sign | (packed >= kInfinity ? kInfinity : packed));
}

[[nodiscard]] constexpr std::uint16_t to_float16(double value) {
  return pack_half<10, 5>(value);
}

[[nodiscard]] constexpr std::uint16_t to_bfloat16(double value) {
  return pack_half<7, 8>(value);
}

[[nodiscard]] constexpr float from_float16(std::uint16_t bits) {
  constexpr float kLeast = 0x1p-24F;  // the step of subnormals
  const std::uint32_t sign = (bits & 0x8000U) << 16U;
  const std::uint32_t exponent = (bits >> 10U) & 0x1FU;
  const std::uint32_t mantissa = bits & 0x3FFU;
  if (exponent == 0) {
    const float magnitude = static_cast<float>(mantissa) * kLeast;
    return sign == 0 ? magnitude : -magnitude;
  }
  const std::uint32_t rebiased = exponent == 0x1F ? 0xFFU : exponent + 112U;
  return std::bit_cast<float>(sign | (rebiased << 23U) | (mantissa << 13U));
}

[[nodiscard]] constexpr float from_bfloat16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
}

}  // namespace assay::tensor
