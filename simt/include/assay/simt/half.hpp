#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

#include "assay/simt/atomic.hpp"
#include "assay/simt/float_formats.hpp"
#include "assay/simt/integer_conversion.hpp"
#include "assay/simt/vector_types.hpp"

#define ASSAY_T __half
#define ASSAY_T2 __half2
#define ASSAY_RAW __half_raw
#define ASSAY_RAW2 __half2_raw
#define ASSAY_TO_FLOAT half_to_float
#define ASSAY_FROM_FLOAT half_from_float
#define ASSAY_FORMAT kHalf
#include "assay/simt/half_class.inc"

namespace assay::simt {
inline __half saturated(__half a) {
  const float value = a;
  return value > 1 ? __half(1.0F) : value > 0 ? a : __half(0.0F);  // NaN gives 0
}
}  // namespace assay::simt

#include "assay/simt/half_operations.inc"
#undef ASSAY_T
#undef ASSAY_T2
#undef ASSAY_RAW
#undef ASSAY_RAW2
#undef ASSAY_TO_FLOAT
#undef ASSAY_FROM_FLOAT
#undef ASSAY_FORMAT

using half = __half;
using half2 = __half2;
using __nv_half = __half;
using __nv_half2 = __half2;
using __nv_half_raw = __half_raw;
using nv_half = __half;
using nv_half2 = __half2;

inline float __half2float(__half a) {
  return a;
}
inline __half __float2half(float a) {
  return __half(a);
}
inline __half __double2half(double a) {
  return __half(a);
}
inline __half __float2half_rn(float a) {
  return __half(a);
}
inline __half __float2half_rz(float a) {
  return __half::from_bits(assay::simt::small_from_double<assay::simt::kHalf>(
      double(a), assay::simt::Rounding::toward_zero));
}
inline __half __float2half_rd(float a) {
  return __half::from_bits(
      assay::simt::small_from_double<assay::simt::kHalf>(double(a), assay::simt::Rounding::down));
}
inline __half __float2half_ru(float a) {
  return __half::from_bits(
      assay::simt::small_from_double<assay::simt::kHalf>(double(a), assay::simt::Rounding::up));
}
inline __half2 __float2half2_rn(float a) {
  return {__half(a), __half(a)};
}
inline __half2 __floats2half2_rn(float a, float b) {
  return {__half(a), __half(b)};
}
inline __half2 __float22half2_rn(float2 a) {
  return {__half(a.x), __half(a.y)};
}
inline float2 __half22float2(__half2 a) {
  return {float(a.x), float(a.y)};
}
inline float __low2float(__half2 a) {
  return a.x;
}
inline float __high2float(__half2 a) {
  return a.y;
}
inline __half __low2half(__half2 a) {
  return a.x;
}
inline __half __high2half(__half2 a) {
  return a.y;
}
inline __half2 __low2half2(__half2 a) {
  return {a.x, a.x};
}
inline __half2 __high2half2(__half2 a) {
  return {a.y, a.y};
}
inline __half2 __lows2half2(__half2 a, __half2 b) {
  return {a.x, b.x};
}
inline __half2 __highs2half2(__half2 a, __half2 b) {
  return {a.y, b.y};
}
inline __half2 __lowhigh2highlow(__half2 a) {
  return {a.y, a.x};
}
inline __half2 __half2half2(__half a) {
  return {a, a};
}
inline __half2 __halves2half2(__half a, __half b) {
  return {a, b};
}
inline __half2 make_half2(__half a, __half b) {
  return {a, b};
}
inline short __half_as_short(__half a) {
  return static_cast<short>(a.bits());
}
inline unsigned short __half_as_ushort(__half a) {
  return a.bits();
}
inline __half __short_as_half(short a) {
  return __half::from_bits(static_cast<unsigned short>(a));
}
inline __half __ushort_as_half(unsigned short a) {
  return __half::from_bits(a);
}

ASSAY_SIMT_HALF_INTEGERS(half, __half, kHalf)
