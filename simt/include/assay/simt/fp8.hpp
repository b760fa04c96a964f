#pragma once

#include <cmath>
#include <cstdint>

#include "assay/simt/bfloat16.hpp"
#include "assay/simt/half.hpp"

enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };
using __nv_fp8_storage_t = unsigned char;
using __nv_fp8x2_storage_t = unsigned short;
using __nv_fp8x4_storage_t = unsigned int;

namespace assay::simt {

/// E5M2 has infinities and follows IEEE 754; E4M3 has none, and only all ones is NaN.
inline unsigned char fp8_from_double(double value, __nv_saturation_t saturate,
                                     __nv_fp8_interpretation_t format) {
  const bool wide = format == __NV_E5M2;
  const int mantissa_bits = wide ? 2 : 3;
  const int lowest_exponent = wide ? -14 : -6;
  const double largest = wide ? 57344.0 : 448.0;
  const auto sign = static_cast<unsigned char>(std::signbit(value) ? 0x80 : 0);
  const unsigned char nan = 0x7f;
  if (std::isnan(value)) return nan;
  const double magnitude = std::fabs(value);
  int exponent = lowest_exponent;
  if (magnitude >= std::ldexp(1.0, lowest_exponent) && std::isfinite(magnitude)) {
    exponent = std::ilogb(magnitude);
  }
  // Dividing by the last place and rounding to an integer is exact and ties to even.
  const double place = std::ldexp(1.0, exponent - mantissa_bits);
  const double rounded =
      std::isfinite(magnitude) ? std::nearbyint(magnitude / place) * place : magnitude;
  if (rounded > largest) {
    const unsigned char limit = wide ? 0x7b : 0x7e;
    const unsigned char beyond = wide ? 0x7c : nan;
    return static_cast<unsigned char>(sign | (saturate == __NV_SATFINITE ? limit : beyond));
  }
  if (rounded == 0) return sign;
  int top = std::ilogb(rounded);
  if (top < lowest_exponent) top = lowest_exponent;
  const auto units = static_cast<int>(rounded / std::ldexp(1.0, top - mantissa_bits));
  const int biased = top - lowest_exponent;  // the hidden bit in `units` adds one where it is set
  return static_cast<unsigned char>(sign | (units + (biased << mantissa_bits)));
}

inline float fp8_to_float(unsigned char word, __nv_fp8_interpretation_t format) {
  const int mantissa_bits = format == __NV_E5M2 ? 2 : 3;
  const int bias = format == __NV_E5M2 ? 15 : 7;
  const int exponent = (word & 0x7f) >> mantissa_bits;
  const int mantissa = word & ((1 << mantissa_bits) - 1);
  float magnitude;
  if (format == __NV_E4M3 ? (word & 0x7f) == 0x7f : exponent == 31 && mantissa != 0) {
    magnitude = NAN;
  } else if (format == __NV_E5M2 && exponent == 31) {
    magnitude = INFINITY;
  } else {
    const int hidden = exponent != 0 ? 1 << mantissa_bits : 0;
    const int scale = (exponent != 0 ? exponent : 1) - bias - mantissa_bits;
    magnitude = std::ldexp(static_cast<float>(mantissa + hidden), scale);
  }
  return (word & 0x80) != 0 ? -magnitude : magnitude;
}

}  // namespace assay::simt

inline __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturate,
                                                __nv_fp8_interpretation_t format) {
  return assay::simt::fp8_from_double(double(x), saturate, format);
}
inline __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturate,
                                                 __nv_fp8_interpretation_t format) {
  return assay::simt::fp8_from_double(x, saturate, format);
}
inline __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t saturate,
                                                  __nv_fp8_interpretation_t format) {
  return __nv_cvt_float_to_fp8(float(__half(x)), saturate, format);
}
inline __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x,
                                                      __nv_saturation_t saturate,
                                                      __nv_fp8_interpretation_t format) {
  return __nv_cvt_float_to_fp8(float(__nv_bfloat16(x)), saturate, format);
}
inline __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 x, __nv_saturation_t saturate,
                                                     __nv_fp8_interpretation_t format) {
  return static_cast<__nv_fp8x2_storage_t>(__nv_cvt_float_to_fp8(x.x, saturate, format) |
                                           __nv_cvt_float_to_fp8(x.y, saturate, format) << 8);
}
inline __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(double2 x, __nv_saturation_t saturate,
                                                      __nv_fp8_interpretation_t format) {
  return static_cast<__nv_fp8x2_storage_t>(__nv_cvt_double_to_fp8(x.x, saturate, format) |
                                           __nv_cvt_double_to_fp8(x.y, saturate, format) << 8);
}
inline __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(__half2_raw x, __nv_saturation_t saturate,
                                                       __nv_fp8_interpretation_t format) {
  return __nv_cvt_float2_to_fp8x2(__half22float2(__half2(x)), saturate, format);
}
inline __nv_fp8x2_storage_t __nv_cvt_bfloat16raw2_to_fp8x2(__nv_bfloat162_raw x,
                                                           __nv_saturation_t saturate,
                                                           __nv_fp8_interpretation_t format) {
  return __nv_cvt_float2_to_fp8x2(__bfloat1622float2(__nv_bfloat162(x)), saturate, format);
}
inline __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t format) {
  return __half(assay::simt::fp8_to_float(x, format));
}
inline __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x,
                                              __nv_fp8_interpretation_t format) {
  return {__nv_cvt_fp8_to_halfraw(static_cast<unsigned char>(x & 0xff), format).x,
          __nv_cvt_fp8_to_halfraw(static_cast<unsigned char>(x >> 8), format).x};
}

#define ASSAY_SIMT_FP8(T, format)                                                    \
  struct T {                                                                         \
    __nv_fp8_storage_t __x;                                                          \
    T() = default;                                                                   \
    explicit T(float x) : __x(__nv_cvt_float_to_fp8(x, __NV_SATFINITE, format)) {}   \
    explicit T(double x) : __x(__nv_cvt_double_to_fp8(x, __NV_SATFINITE, format)) {} \
    explicit T(__half x) : T(float(x)) {}                                            \
    explicit T(__nv_bfloat16 x) : T(float(x)) {}                                     \
    template <class Integer>                                                         \
      requires std::is_integral_v<Integer>                                           \
    explicit T(Integer x) : T(static_cast<double>(x)) {}                             \
    explicit operator float() const {                                                \
      return assay::simt::fp8_to_float(__x, format);                                 \
    }                                                                                \
    explicit operator double() const {                                               \
      return double(float(*this));                                                   \
    }                                                                                \
    explicit operator __half() const {                                               \
      return __half(float(*this));                                                   \
    }                                                                                \
    explicit operator __nv_bfloat16() const {                                        \
      return __nv_bfloat16(float(*this));                                            \
    }                                                                                \
    explicit operator bool() const {                                                 \
      return (__x & 0x7f) != 0;                                                      \
    }                                                                                \
    template <class Integer>                                                         \
      requires(std::is_integral_v<Integer> && !std::is_same_v<Integer, bool>)        \
    explicit operator Integer() const {                                              \
      return assay::simt::to_integer<Integer>(double(float(*this)));                 \
    }                                                                                \
  };
ASSAY_SIMT_FP8(__nv_fp8_e4m3, __NV_E4M3)
ASSAY_SIMT_FP8(__nv_fp8_e5m2, __NV_E5M2)
#undef ASSAY_SIMT_FP8

#define ASSAY_SIMT_FP8_VECTORS(base, format)                                                       \
  struct __attribute__((aligned(2))) base##x2_type {                                               \
    __nv_fp8x2_storage_t __x;                                                                      \
    base##x2_type() = default;                                                                     \
    explicit base##x2_type(float2 v) : __x(__nv_cvt_float2_to_fp8x2(v, __NV_SATFINITE, format)) {} \
    explicit base##x2_type(__half2 v) : base##x2_type(__half22float2(v)) {}                        \
    explicit base##x2_type(__nv_bfloat162 v) : base##x2_type(__bfloat1622float2(v)) {}             \
    explicit operator float2() const {                                                             \
      return {assay::simt::fp8_to_float(static_cast<unsigned char>(__x & 0xff), format),           \
              assay::simt::fp8_to_float(static_cast<unsigned char>(__x >> 8), format)};            \
    }                                                                                              \
    explicit operator __half2() const {                                                            \
      return __half2(__nv_cvt_fp8x2_to_halfraw2(__x, format));                                     \
    }                                                                                              \
  };                                                                                               \
  struct __attribute__((aligned(4))) base##x4_type {                                               \
    __nv_fp8x4_storage_t __x;                                                                      \
    base##x4_type() = default;                                                                     \
    explicit base##x4_type(float4 v)                                                               \
        : __x(__nv_cvt_float2_to_fp8x2({v.x, v.y}, __NV_SATFINITE, format) |                       \
              static_cast<unsigned>(__nv_cvt_float2_to_fp8x2({v.z, v.w}, __NV_SATFINITE, format))  \
                  << 16) {}                                                                        \
    explicit base##x4_type(__half2 low, __half2 high)                                              \
        : base##x4_type(float4{float(low.x), float(low.y), float(high.x), float(high.y)}) {}       \
    explicit base##x4_type(__nv_bfloat162 low, __nv_bfloat162 high)                                \
        : base##x4_type(float4{float(low.x), float(low.y), float(high.x), float(high.y)}) {}       \
    explicit operator float4() const {                                                             \
      const auto at = [this](unsigned i) {                                                         \
        return assay::simt::fp8_to_float(static_cast<unsigned char>(__x >> (8 * i)), format);      \
      };                                                                                           \
      return {at(0), at(1), at(2), at(3)};                                                         \
    }                                                                                              \
  };
ASSAY_SIMT_FP8_VECTORS(assay_e4m3, __NV_E4M3)
ASSAY_SIMT_FP8_VECTORS(assay_e5m2, __NV_E5M2)
#undef ASSAY_SIMT_FP8_VECTORS
using __nv_fp8x2_e4m3 = assay_e4m3x2_type;
using __nv_fp8x4_e4m3 = assay_e4m3x4_type;
using __nv_fp8x2_e5m2 = assay_e5m2x2_type;
using __nv_fp8x4_e5m2 = assay_e5m2x4_type;
