#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "assay/simt/float_formats.hpp"

namespace assay::simt {

/// Converts as hardware does. Out of range gives the nearest limit. NaN gives 0, or for 64 bits
/// only the top bit.
template <class Integer>
constexpr Integer to_integer(double value) {
  using Limits = std::numeric_limits<Integer>;
  if (value != value) {
    return sizeof(Integer) == 8 ? static_cast<Integer>(std::uint64_t{1} << 63) : Integer{0};
  }
  if (value <= static_cast<double>(Limits::min())) return Limits::min();
  // For 64 bits max() is no double; the comparison is with the power of two above it.
  if (value >= static_cast<double>(Limits::max())) return Limits::max();
  return static_cast<Integer>(value);
}

template <SmallFormat F, class Integer>
constexpr std::uint16_t small_from_integer(Integer value, Rounding rounding = Rounding::nearest) {
  const bool negative = value < Integer{0};
  const auto wide = static_cast<std::uint64_t>(value);
  return round_to_small<F>(negative, negative ? std::uint64_t{0} - wide : wide, 0, rounding);
}

inline double rounded(double value, Rounding rounding) {
  switch (rounding) {
    case Rounding::nearest:
      return std::nearbyint(value);
    case Rounding::down:
      return std::floor(value);
    case Rounding::up:
      return std::ceil(value);
    case Rounding::toward_zero:
      break;
  }
  return std::trunc(value);
}

}  // namespace assay::simt

#define ASSAY_SIMT_HALF_INTEGER(prefix, T, format, name, Integer, suffix, rounding)                \
  inline Integer __##prefix##2##name##_##suffix(T a) {                                             \
    return assay::simt::to_integer<Integer>(                                                       \
        assay::simt::rounded(double(float(a)), assay::simt::Rounding::rounding));                  \
  }                                                                                                \
  inline T __##name##2##prefix##_##suffix(Integer a) {                                             \
    return T::from_bits(                                                                           \
        assay::simt::small_from_integer<assay::simt::format>(a, assay::simt::Rounding::rounding)); \
  }
#define ASSAY_SIMT_HALF_ROUNDINGS(prefix, T, format, name, Integer)          \
  ASSAY_SIMT_HALF_INTEGER(prefix, T, format, name, Integer, rn, nearest)     \
  ASSAY_SIMT_HALF_INTEGER(prefix, T, format, name, Integer, rz, toward_zero) \
  ASSAY_SIMT_HALF_INTEGER(prefix, T, format, name, Integer, rd, down)        \
  ASSAY_SIMT_HALF_INTEGER(prefix, T, format, name, Integer, ru, up)
/// __half2int_rn, __int2half_rz and the like, for every integer type CUDA has them for.
#define ASSAY_SIMT_HALF_INTEGERS(prefix, T, format)                    \
  ASSAY_SIMT_HALF_ROUNDINGS(prefix, T, format, int, int)               \
  ASSAY_SIMT_HALF_ROUNDINGS(prefix, T, format, uint, unsigned int)     \
  ASSAY_SIMT_HALF_ROUNDINGS(prefix, T, format, short, short)           \
  ASSAY_SIMT_HALF_ROUNDINGS(prefix, T, format, ushort, unsigned short) \
  ASSAY_SIMT_HALF_ROUNDINGS(prefix, T, format, ll, long long)          \
  ASSAY_SIMT_HALF_ROUNDINGS(prefix, T, format, ull, unsigned long long)
