#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#if defined(__F16C__)
#include <immintrin.h>
#endif

// Conversions between float, double and the small formats, rounding to nearest even as hardware
// does unless a name says otherwise.
namespace assay::simt {

enum class Rounding { nearest, down, up, toward_zero };

/// A small format by its field widths; the largest exponent is infinity and NaN, as in IEEE 754.
struct SmallFormat {
  int exponent_bits;
  int mantissa_bits;
};
inline constexpr SmallFormat kHalf{5, 10};
inline constexpr SmallFormat kBfloat16{8, 7};

/// `significand * 2^exponent`, rounded. The significand holds the value exactly, or has a sticky
/// lowest bit that stands for everything below it.
template <SmallFormat F>
constexpr std::uint16_t round_to_small(bool negative, std::uint64_t significand, int exponent,
                                       Rounding rounding) {
  constexpr int kBias = (1 << (F.exponent_bits - 1)) - 1;
  constexpr int kLowest = 1 - kBias - F.mantissa_bits;  // exponent of the last subnormal bit
  constexpr std::uint16_t kInfinity = ((1U << F.exponent_bits) - 1) << F.mantissa_bits;
  const auto sign =
      static_cast<std::uint16_t>(negative ? 1U << (F.exponent_bits + F.mantissa_bits) : 0U);
  if (significand == 0) return sign;

  const int top = 63 - std::countl_zero(significand);
  int drop = top - F.mantissa_bits;  // bits below the format's precision
  if (exponent + drop < kLowest) drop = kLowest - exponent;
  std::uint64_t kept = 0;
  bool half = false;
  bool below = false;
  if (drop <= 0) {
    kept = significand << -drop;
  } else if (drop > 63) {
    below = true;
  } else {
    kept = significand >> drop;
    half = (significand >> (drop - 1) & 1) != 0;
    below = (significand & ((std::uint64_t{1} << (drop - 1)) - 1)) != 0;
  }
  const bool inexact = half || below;
  const bool away = rounding == Rounding::nearest ? half && (below || (kept & 1) != 0)
                    : rounding == Rounding::up    ? inexact && !negative
                    : rounding == Rounding::down  ? inexact && negative
                                                  : false;
  kept += away ? 1 : 0;
  // Adding the exponent above the hidden bit lets a carry out of the mantissa raise it.
  const int biased = exponent + drop - kLowest;
  const std::uint64_t encoded = kept + (static_cast<std::uint64_t>(biased) << F.mantissa_bits);
  if (encoded < kInfinity) return static_cast<std::uint16_t>(sign | encoded);
  const bool to_infinity = rounding == Rounding::nearest ||
                           (rounding == Rounding::up && !negative) ||
                           (rounding == Rounding::down && negative);
  return static_cast<std::uint16_t>(sign | (to_infinity ? kInfinity : kInfinity - 1));
}

template <SmallFormat F>
constexpr std::uint16_t small_from_double(double value, Rounding rounding = Rounding::nearest) {
  const auto word = std::bit_cast<std::uint64_t>(value);
  const bool negative = (word >> 63) != 0;
  const auto biased = static_cast<int>(word >> 52 & 0x7ff);
  const std::uint64_t mantissa = word & ((std::uint64_t{1} << 52) - 1);
  if (biased == 0x7ff) {
    constexpr std::uint16_t kInfinity = ((1U << F.exponent_bits) - 1) << F.mantissa_bits;
    constexpr std::uint16_t kNan =
        (1U << (F.exponent_bits + F.mantissa_bits)) - 1;  // CUDA's own NaN
    if (mantissa != 0) return kNan;
    return static_cast<std::uint16_t>((negative ? 1U << (F.exponent_bits + F.mantissa_bits) : 0U) |
                                      kInfinity);
  }
  const std::uint64_t significand = biased == 0 ? mantissa : mantissa | std::uint64_t{1} << 52;
  return round_to_small<F>(negative, significand, (biased == 0 ? 1 : biased) - 1075, rounding);
}

constexpr float half_to_float_portable(std::uint16_t word) {
  const std::uint32_t sign = static_cast<std::uint32_t>(word & 0x8000U) << 16;
  const std::uint32_t exponent = word >> 10 & 0x1fU;
  const std::uint32_t mantissa = word & 0x3ffU;
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000U | mantissa << 13);
  if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
  const float magnitude = static_cast<float>(mantissa) * 0x1p-24F;
  return sign != 0 ? -magnitude : magnitude;
}

constexpr float half_to_float(std::uint16_t word) {
#if defined(__F16C__)
  if (!std::is_constant_evaluated()) return _cvtsh_ss(word);
#endif
  return half_to_float_portable(word);
}

constexpr std::uint16_t half_from_float(float value) {
#if defined(__F16C__)
  // The processor keeps a NaN's payload; CUDA gives its own NaN.
  if (!std::is_constant_evaluated() && value == value) {
    return static_cast<std::uint16_t>(_cvtss_sh(value, _MM_FROUND_TO_NEAREST_INT));
  }
#endif
  return small_from_double<kHalf>(static_cast<double>(value));
}

constexpr float bfloat16_to_float(std::uint16_t word) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(word) << 16);
}

constexpr std::uint16_t bfloat16_from_float(float value) {
  const auto word = std::bit_cast<std::uint32_t>(value);
  if ((word & 0x7fffffffU) > 0x7f800000U) return 0x7fff;
  return static_cast<std::uint16_t>((word + 0x7fffU + (word >> 16 & 1)) >> 16);
}

/// a * b + c with the sticky bit of round-to-odd. So only the rounding to a small format that
/// follows counts. The products of the small formats are exact in double.
inline double fma_to_odd(float a, float b, float c) {
  const double product = static_cast<double>(a) * static_cast<double>(b);
  const auto addend = static_cast<double>(c);
  const double sum = product + addend;
  if (!std::isfinite(sum)) return sum;
  const double back = sum - product;
  const double error = (product - (sum - back)) + (addend - back);  // Knuth's two-sum: exact
  auto word = std::bit_cast<std::uint64_t>(sum);
  if (error == 0 || (word & 1) != 0) return sum;
  // Even and inexact: the odd neighbour on the side of the error.
  const bool grows = (error > 0) == (sum > 0);
  word += grows ? 1 : std::uint64_t(-1);
  return std::bit_cast<double>(word);
}

}  // namespace assay::simt
