#pragma once

#include "assay/simt/integer_conversion.hpp"
#include "assay/simt/rounded_arithmetic.hpp"

// __float2int_rn and its relatives, in both directions.
#define ASSAY_SIMT_CONVERT(F, from, Integer, to, suffix, rounding, mode)   \
  inline Integer __##from##2##to##_##suffix(F x) {                         \
    return assay::simt::to_integer<Integer>(                               \
        assay::simt::rounded(double(x), assay::simt::Rounding::rounding)); \
  }                                                                        \
  inline F __##to##2##from##_##suffix(Integer x) {                         \
    return assay::simt::with_rounding<mode>([x] {                          \
      volatile Integer kept = x;                                           \
      return static_cast<F>(kept);                                         \
    });                                                                    \
  }
#define ASSAY_SIMT_CONVERT_ALL(F, from, Integer, to)                       \
  ASSAY_SIMT_CONVERT(F, from, Integer, to, rn, nearest, FE_TONEAREST)      \
  ASSAY_SIMT_CONVERT(F, from, Integer, to, rz, toward_zero, FE_TOWARDZERO) \
  ASSAY_SIMT_CONVERT(F, from, Integer, to, rd, down, FE_DOWNWARD)          \
  ASSAY_SIMT_CONVERT(F, from, Integer, to, ru, up, FE_UPWARD)
ASSAY_SIMT_CONVERT_ALL(float, float, int, int)
ASSAY_SIMT_CONVERT_ALL(float, float, unsigned int, uint)
ASSAY_SIMT_CONVERT_ALL(float, float, long long, ll)
ASSAY_SIMT_CONVERT_ALL(float, float, unsigned long long, ull)
ASSAY_SIMT_CONVERT_ALL(double, double, int, int)
ASSAY_SIMT_CONVERT_ALL(double, double, unsigned int, uint)
ASSAY_SIMT_CONVERT_ALL(double, double, long long, ll)
ASSAY_SIMT_CONVERT_ALL(double, double, unsigned long long, ull)
#undef ASSAY_SIMT_CONVERT_ALL
#undef ASSAY_SIMT_CONVERT

#define ASSAY_SIMT_NARROW(suffix, mode)                              \
  inline float __double2float_##suffix(double x) {                   \
    return assay::simt::with_rounding<mode>(                         \
        [x] { return static_cast<float>(assay::simt::opaque(x)); }); \
  }
ASSAY_SIMT_NARROW(rn, FE_TONEAREST)
ASSAY_SIMT_NARROW(rz, FE_TOWARDZERO)
ASSAY_SIMT_NARROW(rd, FE_DOWNWARD)
ASSAY_SIMT_NARROW(ru, FE_UPWARD)
#undef ASSAY_SIMT_NARROW
