#pragma once

// Numbers, their bits, and elements of tensors. Sums and products go through plus and times, which
// no compiler may fuse.

#include "both.hpp"

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define ASSAY_WORK __device__ inline
#else
#define ASSAY_WORK inline
#endif

namespace assay::work {

using both::Wide;
using both::Word;

/// The elements' types, in the order of DType.
enum class Kind : Word {
  float64,
  float32,
  float16,
  bfloat16,
  float8_e4m3fn,
  float8_e5m2,
  int64,
  int32,
  int16,
  int8,
  uint64,
  uint32,
  uint16,
  uint8,
  boolean,
};

ASSAY_BOTH bool is_floating(Kind kind) {
  return kind <= Kind::float8_e5m2;
}

ASSAY_BOTH Word size_of(Kind kind) {
  switch (kind) {
    case Kind::float64:
    case Kind::int64:
    case Kind::uint64:
      return 8;
    case Kind::float32:
    case Kind::int32:
    case Kind::uint32:
      return 4;
    case Kind::float16:
    case Kind::bfloat16:
    case Kind::int16:
    case Kind::uint16:
      return 2;
    default:
      return 1;
  }
}

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
ASSAY_WORK Wide bits_of(double value) {
  return static_cast<Wide>(__double_as_longlong(value));
}
ASSAY_WORK double double_of(Wide bits) {
  return __longlong_as_double(static_cast<long long>(bits));
}
ASSAY_WORK Word bits_of(float value) {
  return __float_as_uint(value);
}
ASSAY_WORK float float_of(Word bits) {
  return __uint_as_float(bits);
}
ASSAY_WORK double times(double a, double b) {
  return __dmul_rn(a, b);
}
ASSAY_WORK double plus(double a, double b) {
  return __dadd_rn(a, b);
}
ASSAY_WORK double whole_near(double value) {
  return round(value);
}
ASSAY_WORK double whole_below(double value) {
  return floor(value);
}
ASSAY_WORK double root(double value) {
  return sqrt(value);
}
#else
ASSAY_WORK Wide bits_of(double value) {
  return __builtin_bit_cast(Wide, value);
}
ASSAY_WORK double double_of(Wide bits) {
  return __builtin_bit_cast(double, bits);
}
ASSAY_WORK Word bits_of(float value) {
  return __builtin_bit_cast(Word, value);
}
ASSAY_WORK float float_of(Word bits) {
  return __builtin_bit_cast(float, bits);
}
ASSAY_WORK double times(double a, double b) {
  return a * b;
}
ASSAY_WORK double plus(double a, double b) {
  return a + b;
}
ASSAY_WORK double whole_near(double value) {
  return __builtin_round(value);
}
ASSAY_WORK double whole_below(double value) {
  return __builtin_floor(value);
}
ASSAY_WORK double root(double value) {
  return __builtin_sqrt(value);
}
#endif

inline constexpr Wide kSign = 0x8000000000000000ULL;
inline constexpr Wide kExponent = 0x7FF0000000000000ULL;
inline constexpr int kFractionBits = 52;

ASSAY_WORK double size_of_number(double value) {
  return double_of(bits_of(value) & ~kSign);
}
ASSAY_WORK bool is_nan(double value) {
  return (bits_of(value) & ~kSign) > kExponent;
}
ASSAY_WORK bool is_finite(double value) {
  return (bits_of(value) & kExponent) != kExponent;
}
ASSAY_WORK double with_sign_of(double size, double sign) {
  return double_of((bits_of(size) & ~kSign) | (bits_of(sign) & kSign));
}
ASSAY_WORK double infinity() {
  return double_of(kExponent);
}
ASSAY_WORK double not_a_number() {
  return double_of(kExponent | (Wide{1} << (kFractionBits - 1)));
}

/// Rounds once, to nearest even, to a format with `kMantissaBits` stored bits, and packs it.
template <Word kMantissaBits, Word kExponentBits>
ASSAY_WORK Word packed_half(double value) {
  constexpr int kMinExponent = 2 - (1 << (kExponentBits - 1U));
  constexpr Word kInfinity = ((1U << kExponentBits) - 1U) << kMantissaBits;
  const Wide bits = bits_of(value);
  const Word sign = static_cast<Word>(bits >> 48U) & 0x8000U;
  const Wide fraction = bits & ((Wide{1} << kFractionBits) - 1U);
  const int field = static_cast<int>(bits >> kFractionBits) & 0x7FF;
  if (field == 0x7FF) {
    return sign | kInfinity | (fraction == 0 ? 0U : 1U << (kMantissaBits - 1U));
  }
  const int exponent = field - 1023;
  if (exponent > -kMinExponent + 1) return sign | kInfinity;
  // The size of a step of the format at this exponent. Below the least exponent the steps stay as
  // large as there. A double too small for 63 bits of shift is less than half a step, and so are
  // its subnormals.
  const Word below = exponent < kMinExponent ? static_cast<Word>(kMinExponent - exponent) : 0;
  const Word shift = kFractionBits - kMantissaBits + below;
  if (shift > 62) return sign;
  const Wide mantissa = fraction | (Wide{1} << kFractionBits);
  const Wide half_less_one = (Wide{1} << (shift - 1U)) - 1U;
  const Wide steps = (mantissa + half_less_one + ((mantissa >> shift) & 1U)) >> shift;
  // Rounding up to the next power of two carries into the exponent by itself.
  const Word scale = below == 0 ? static_cast<Word>(exponent - kMinExponent) << kMantissaBits : 0;
  const Word packed = scale + static_cast<Word>(steps);
  return sign | (packed >= kInfinity ? kInfinity : packed);
}

ASSAY_WORK float float_of_half(Word bits) {
  const Word sign = (bits & 0x8000U) << 16U;
  const Word exponent = (bits >> 10U) & 0x1FU;
  const Word mantissa = bits & 0x3FFU;
  if (exponent == 0) {
    const float size = static_cast<float>(mantissa) * 0x1p-24F;  // the step of subnormals
    return sign == 0 ? size : -size;
  }
  const Word rebiased = exponent == 0x1FU ? 0xFFU : exponent + 112U;
  return float_of(sign | (rebiased << 23U) | (mantissa << 13U));
}

// The two 8-bit floats of machine learning. E5M2 is the upper half of a binary16. E4M3FN has no
// infinities. Its largest pattern is NaN, and what is too large becomes NaN, as in torch.

ASSAY_WORK double number_of_e4m3fn(Word bits) {
  if ((bits & 0x7FU) == 0x7FU) return not_a_number();
  const Word exponent = (bits >> 3U) & 0xFU;
  const Word steps = exponent == 0 ? bits & 0x7U : (8U + (bits & 0x7U)) << (exponent - 1U);
  const double size = steps * 0x1p-9;  // the step of subnormals
  return (bits & 0x80U) == 0 ? size : -size;
}

ASSAY_WORK Word packed_e4m3fn(double value) {
  constexpr Word kNan = 0x7F;
  const Word sign = (bits_of(value) & kSign) != 0 ? 0x80U : 0U;
  if (!is_finite(value)) return sign | kNan;
  // packed_half keeps the largest exponent for infinities. Large numbers are packed as a quarter,
  // which is exact, and the exponent is put back.
  const double size = size_of_number(value);
  if (size < 128) return sign | (packed_half<3, 4>(size) & 0x7FU);
  const Word packed = (packed_half<3, 4>(size / 4) & 0x7FU) + (2U << 3U);
  return sign | (packed >= kNan ? kNan : packed);
}

ASSAY_WORK double number_of_e5m2(Word bits) {
  return static_cast<double>(float_of_half(bits << 8U));
}

ASSAY_WORK Word packed_e5m2(double value) {
  const Word packed = packed_half<2, 5>(value);
  return (packed >> 8U & 0x80U) | (packed & 0x7FU);
}

template <class Bits>
ASSAY_WORK Bits load(const void* array, Wide i) {
#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
  return static_cast<const Bits*>(array)[i];
#else
  Bits bits;
  __builtin_memcpy(&bits, static_cast<const char*>(array) + i * sizeof(Bits), sizeof(Bits));
  return bits;
#endif
}

template <class Bits>
ASSAY_WORK void store(void* array, Wide i, Wide value) {
  const Bits bits = static_cast<Bits>(value);
#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
  static_cast<Bits*>(array)[i] = bits;
#else
  __builtin_memcpy(static_cast<char*>(array) + i * sizeof(Bits), &bits, sizeof(Bits));
#endif
}

/// The bits of one element of `size` bytes, as an unsigned number.
ASSAY_WORK Wide raw_of_size(Word size, const void* array, Wide i) {
  switch (size) {
    case 8:
      return load<Wide>(array, i);
    case 4:
      return load<Word>(array, i);
    case 2:
      return load<unsigned short>(array, i);
    default:
      return load<unsigned char>(array, i);
  }
}

ASSAY_WORK Wide raw(Kind kind, const void* array, Wide i) {
  return raw_of_size(size_of(kind), array, i);
}

ASSAY_WORK void store_raw(Kind kind, void* array, Wide i, Wide bits) {
  switch (size_of(kind)) {
    case 8:
      return store<Wide>(array, i, bits);
    case 4:
      return store<Word>(array, i, bits);
    case 2:
      return store<unsigned short>(array, i, bits);
    default:
      return store<unsigned char>(array, i, bits);
  }
}

/// Signed integers with their sign, as 64 bits.
ASSAY_WORK Wide widened(Kind kind, Wide bits) {
  switch (kind) {
    case Kind::int32:
      return static_cast<Wide>(static_cast<long long>(static_cast<int>(bits)));
    case Kind::int16:
      return static_cast<Wide>(static_cast<long long>(static_cast<short>(bits)));
    case Kind::int8:
      return static_cast<Wide>(static_cast<long long>(static_cast<signed char>(bits)));
    default:
      return bits;
  }
}

ASSAY_WORK bool is_signed(Kind kind) {
  return kind >= Kind::int64 && kind <= Kind::int8;
}

ASSAY_WORK double number(Kind kind, Wide bits) {
  switch (kind) {
    case Kind::float64:
      return double_of(bits);
    case Kind::float32:
      return static_cast<double>(float_of(static_cast<Word>(bits)));
    case Kind::float16:
      return static_cast<double>(float_of_half(static_cast<Word>(bits)));
    case Kind::bfloat16:
      return static_cast<double>(float_of(static_cast<Word>(bits) << 16U));
    case Kind::float8_e4m3fn:
      return number_of_e4m3fn(static_cast<Word>(bits));
    case Kind::float8_e5m2:
      return number_of_e5m2(static_cast<Word>(bits));
    default:
      return is_signed(kind) ? static_cast<double>(static_cast<long long>(widened(kind, bits)))
                             : static_cast<double>(bits);
  }
}

ASSAY_WORK double read(Kind kind, const void* array, Wide i) {
  return number(kind, raw(kind, array, i));
}

/// The bits of a number as a float of any format. NaN has one form in each, because processors and
/// GPUs make it with different signs and bits.
ASSAY_WORK Wide packed_float(Kind kind, double value) {
  if (is_nan(value)) value = not_a_number();
  switch (kind) {
    case Kind::float64:
      return bits_of(value);
    case Kind::float32:
      return is_nan(value) ? 0x7FC00000U : bits_of(static_cast<float>(value));
    case Kind::float16:
      return packed_half<10, 5>(value);
    case Kind::float8_e4m3fn:
      return packed_e4m3fn(value);
    case Kind::float8_e5m2:
      return packed_e5m2(value);
    default:
      return packed_half<7, 8>(value);
  }
}

ASSAY_WORK void write_float(Kind kind, void* array, Wide i, double value) {
  store_raw(kind, array, i, packed_float(kind, value));
}

/// Held to the range of integers of `bits` bits, and cut towards zero.
ASSAY_WORK Wide integer_of(double value, bool is_signed, Word bits) {
  if (is_nan(value)) return 0;
  const Wide top = Wide{1} << (bits - 1U);
  const double limit = static_cast<double>(top);  // a power of two: exact
  if (is_signed) {
    if (value <= -limit) return Wide{0} - top;
    return value >= limit ? top - 1 : static_cast<Wide>(static_cast<long long>(value));
  }
  if (value <= 0) return 0;
  return value >= 2 * limit ? top + (top - 1) : static_cast<Wide>(value);
}

/// Stores a number. Floats are rounded to nearest even. Integers are truncated towards zero and
/// held to their range. Booleans are true unless the number is zero.
ASSAY_WORK void write(Kind kind, void* array, Wide i, double value) {
  if (is_floating(kind)) return write_float(kind, array, i, value);
  if (kind == Kind::boolean) return store_raw(kind, array, i, value != 0 ? 1 : 0);
  store_raw(kind, array, i, integer_of(value, is_signed(kind), 8 * size_of(kind)));
}

}  // namespace assay::work
