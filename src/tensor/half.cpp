#include "tensor/half.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace assay::tensor {
namespace {

/// Rounds to a binary format with `mantissa_bits` stored bits and the given exponent range, and
/// packs it. Works on the value, not on bits, so that double rounding cannot happen.
template <int kMantissaBits, int kExponentBits>
std::uint16_t pack(double value) {
  constexpr int kBias = (1 << (kExponentBits - 1)) - 1;
  constexpr int kMinExponent = 1 - kBias;
  constexpr std::uint16_t kInfinity = ((1U << kExponentBits) - 1U) << kMantissaBits;
  const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000U : 0U);
  if (std::isnan(value)) return sign | kInfinity | (1U << (kMantissaBits - 1));
  const double magnitude = std::abs(value);
  if (std::isinf(magnitude)) return sign | kInfinity;

  int exponent = magnitude == 0 ? kMinExponent : std::ilogb(magnitude);
  if (exponent < kMinExponent) exponent = kMinExponent;  // subnormal: fixed spacing
  const double units = std::nearbyint(std::ldexp(magnitude, kMantissaBits - exponent));
  // `units` counts steps of the format at this exponent; adding it to the exponent field carries
  // over by itself when rounding reaches the next power of two.
  const auto field = static_cast<std::uint32_t>(exponent - kMinExponent);
  const std::uint32_t packed = (field << kMantissaBits) + static_cast<std::uint32_t>(units);
  return packed >= kInfinity ? sign | kInfinity : static_cast<std::uint16_t>(sign | packed);
}

}  // namespace

std::uint16_t to_float16(double value) {
  return pack<10, 5>(value);
}

std::uint16_t to_bfloat16(double value) {
  return pack<7, 8>(value);
}

float from_float16(std::uint16_t bits) {
  const float sign = (bits & 0x8000U) != 0 ? -1.0F : 1.0F;
  const int exponent = (bits >> 10U) & 0x1F;
  const int mantissa = bits & 0x3FF;
  if (exponent == 0x1F) {
    return mantissa == 0 ? sign * std::numeric_limits<float>::infinity()
                         : std::numeric_limits<float>::quiet_NaN();
  }
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(mantissa), -24);
  return sign * std::ldexp(static_cast<float>(mantissa + 0x400), exponent - 25);
}

float from_bfloat16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
}

}  // namespace assay::tensor
