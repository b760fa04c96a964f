#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

#include "assay/simt/atomic.hpp"
#include "assay/simt/float_formats.hpp"
#include "assay/simt/integer_conversion.hpp"
#include "assay/simt/vector_types.hpp"

#define ASSAY_T __nv_bfloat16
#define ASSAY_T2 __nv_bfloat162
#define ASSAY_RAW __nv_bfloat16_raw
#define ASSAY_RAW2 __nv_bfloat162_raw
#define ASSAY_TO_FLOAT bfloat16_to_float
#define ASSAY_FROM_FLOAT bfloat16_from_float
#define ASSAY_FORMAT kBfloat16
#include "assay/simt/half_class.inc"

namespace assay::simt {
inline __nv_bfloat16 saturated(__nv_bfloat16 a) {
  const float value = a;
  return value > 1 ? __nv_bfloat16(1.0F) : value > 0 ? a : __nv_bfloat16(0.0F);  // NaN gives 0
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

using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;

inline float __bfloat162float(__nv_bfloat16 a) {
  return a;
}
inline __nv_bfloat16 __float2bfloat16(float a) {
  return __nv_bfloat16(a);
}
inline __nv_bfloat16 __double2bfloat16(double a) {
  return __nv_bfloat16(a);
}
inline __nv_bfloat16 __float2bfloat16_rn(float a) {
  return __nv_bfloat16(a);
}
inline __nv_bfloat16 __float2bfloat16_rz(float a) {
  return __nv_bfloat16::from_bits(assay::simt::small_from_double<assay::simt::kBfloat16>(
      double(a), assay::simt::Rounding::toward_zero));
}
inline __nv_bfloat16 __float2bfloat16_rd(float a) {
  return __nv_bfloat16::from_bits(assay::simt::small_from_double<assay::simt::kBfloat16>(
      double(a), assay::simt::Rounding::down));
}
inline __nv_bfloat16 __float2bfloat16_ru(float a) {
  return __nv_bfloat16::from_bits(
      assay::simt::small_from_double<assay::simt::kBfloat16>(double(a), assay::simt::Rounding::up));
}
inline __nv_bfloat162 __float2bfloat162_rn(float a) {
  return {__nv_bfloat16(a), __nv_bfloat16(a)};
}
inline __nv_bfloat162 __floats2bfloat162_rn(float a, float b) {
  return {__nv_bfloat16(a), __nv_bfloat16(b)};
}
inline __nv_bfloat162 __float22bfloat162_rn(float2 a) {
  return {__nv_bfloat16(a.x), __nv_bfloat16(a.y)};
}
inline float2 __bfloat1622float2(__nv_bfloat162 a) {
  return {float(a.x), float(a.y)};
}
inline float __low2float(__nv_bfloat162 a) {
  return a.x;
}
inline float __high2float(__nv_bfloat162 a) {
  return a.y;
}
inline __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) {
  return a.x;
}
inline __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) {
  return a.y;
}
inline __nv_bfloat162 __low2bfloat162(__nv_bfloat162 a) {
  return {a.x, a.x};
}
inline __nv_bfloat162 __high2bfloat162(__nv_bfloat162 a) {
  return {a.y, a.y};
}
inline __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) {
  return {a.x, b.x};
}
inline __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) {
  return {a.y, b.y};
}
inline __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 a) {
  return {a.y, a.x};
}
inline __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) {
  return {a, a};
}
inline __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) {
  return {a, b};
}
inline __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) {
  return {a, b};
}
inline short __bfloat16_as_short(__nv_bfloat16 a) {
  return static_cast<short>(a.bits());
}
inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 a) {
  return a.bits();
}
inline __nv_bfloat16 __short_as_bfloat16(short a) {
  return __nv_bfloat16::from_bits(static_cast<unsigned short>(a));
}
inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short a) {
  return __nv_bfloat16::from_bits(a);
}

ASSAY_SIMT_HALF_INTEGERS(bfloat16, __nv_bfloat16, kBfloat16)
