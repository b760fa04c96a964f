#pragma once

#include <cfenv>
#include <cmath>

namespace assay::simt {

/// Keeps the compiler from fusing, moving or folding `value` past this point.
template <class T>
inline T opaque(T value) {
#if defined(__x86_64__)
  __asm__ volatile("" : "+x"(value));
#else
  __asm__ volatile("" : "+w"(value));
#endif
  return value;
}

/// Runs `compute` under another rounding mode of the processor.
template <int Mode, class Compute>
auto with_rounding(Compute compute) {
  const int before = std::fegetround();
  std::fesetround(Mode);
  const auto result = opaque(compute());
  std::fesetround(before);
  return result;
}

}  // namespace assay::simt

inline float __fadd_rn(float a, float b) {
  return assay::simt::opaque(a + b);
}
inline float __fsub_rn(float a, float b) {
  return assay::simt::opaque(a - b);
}
inline float __fmul_rn(float a, float b) {
  return assay::simt::opaque(a * b);
}
inline float __fdiv_rn(float a, float b) {
  return assay::simt::opaque(a / b);
}
inline float __fsqrt_rn(float a) {
  return assay::simt::opaque(sqrtf(a));
}
inline float __frcp_rn(float a) {
  return assay::simt::opaque(float(1) / a);
}
inline float __fmaf_rn(float a, float b, float c) {
  return fmaf(a, b, c);
}
inline float __fadd_rz(float a, float b) {
  return assay::simt::with_rounding<FE_TOWARDZERO>([=] { return assay::simt::opaque(a) + b; });
}
inline float __fsub_rz(float a, float b) {
  return assay::simt::with_rounding<FE_TOWARDZERO>([=] { return assay::simt::opaque(a) - b; });
}
inline float __fmul_rz(float a, float b) {
  return assay::simt::with_rounding<FE_TOWARDZERO>([=] { return assay::simt::opaque(a) * b; });
}
inline float __fdiv_rz(float a, float b) {
  return assay::simt::with_rounding<FE_TOWARDZERO>([=] { return assay::simt::opaque(a) / b; });
}
inline float __fsqrt_rz(float a) {
  return assay::simt::with_rounding<FE_TOWARDZERO>([=] { return sqrtf(assay::simt::opaque(a)); });
}
inline float __frcp_rz(float a) {
  return assay::simt::with_rounding<FE_TOWARDZERO>(
      [=] { return float(1) / assay::simt::opaque(a); });
}
inline float __fmaf_rz(float a, float b, float c) {
  return assay::simt::with_rounding<FE_TOWARDZERO>(
      [=] { return fmaf(assay::simt::opaque(a), b, c); });
}
inline float __fadd_rd(float a, float b) {
  return assay::simt::with_rounding<FE_DOWNWARD>([=] { return assay::simt::opaque(a) + b; });
}
inline float __fsub_rd(float a, float b) {
  return assay::simt::with_rounding<FE_DOWNWARD>([=] { return assay::simt::opaque(a) - b; });
}
inline float __fmul_rd(float a, float b) {
  return assay::simt::with_rounding<FE_DOWNWARD>([=] { return assay::simt::opaque(a) * b; });
}
inline float __fdiv_rd(float a, float b) {
  return assay::simt::with_rounding<FE_DOWNWARD>([=] { return assay::simt::opaque(a) / b; });
}
inline float __fsqrt_rd(float a) {
  return assay::simt::with_rounding<FE_DOWNWARD>([=] { return sqrtf(assay::simt::opaque(a)); });
}
inline float __frcp_rd(float a) {
  return assay::simt::with_rounding<FE_DOWNWARD>([=] { return float(1) / assay::simt::opaque(a); });
}
inline float __fmaf_rd(float a, float b, float c) {
  return assay::simt::with_rounding<FE_DOWNWARD>(
      [=] { return fmaf(assay::simt::opaque(a), b, c); });
}
inline float __fadd_ru(float a, float b) {
  return assay::simt::with_rounding<FE_UPWARD>([=] { return assay::simt::opaque(a) + b; });
}
inline float __fsub_ru(float a, float b) {
  return assay::simt::with_rounding<FE_UPWARD>([=] { return assay::simt::opaque(a) - b; });
}
inline float __fmul_ru(float a, float b) {
  return assay::simt::with_rounding<FE_UPWARD>([=] { return assay::simt::opaque(a) * b; });
}
inline float __fdiv_ru(float a, float b) {
  return assay::simt::with_rounding<FE_UPWARD>([=] { return assay::simt::opaque(a) / b; });
}
inline float __fsqrt_ru(float a) {
  return assay::simt::with_rounding<FE_UPWARD>([=] { return sqrtf(assay::simt::opaque(a)); });
}
inline float __frcp_ru(float a) {
  return assay::simt::with_rounding<FE_UPWARD>([=] { return float(1) / assay::simt::opaque(a); });
}
inline float __fmaf_ru(float a, float b, float c) {
  return assay::simt::with_rounding<FE_UPWARD>([=] { return fmaf(assay::simt::opaque(a), b, c); });
}
inline double __dadd_rn(double a, double b) {
  return assay::simt::opaque(a + b);
}
inline double __dsub_rn(double a, double b) {
  return assay::simt::opaque(a - b);
}
inline double __dmul_rn(double a, double b) {
  return assay::simt::opaque(a * b);
}
inline double __ddiv_rn(double a, double b) {
  return assay::simt::opaque(a / b);
}
inline double __dsqrt_rn(double a) {
  return assay::simt::opaque(sqrt(a));
}
inline double __drcp_rn(double a) {
  return assay::simt::opaque(double(1) / a);
}
inline double __fma_rn(double a, double b, double c) {
  return fma(a, b, c);
}
inline double __dadd_rz(double a, double b) {
  return assay::simt::with_rounding<FE_TOWARDZERO>([=] { return assay::simt::opaque(a) + b; });
}
inline double __dsub_rz(double a, double b) {
  return assay::simt::with_rounding<FE_TOWARDZERO>([=] { return assay::simt::opaque(a) - b; });
}
inline double __dmul_rz(double a, double b) {
  return assay::simt::with_rounding<FE_TOWARDZERO>([=] { return assay::simt::opaque(a) * b; });
}
inline double __ddiv_rz(double a, double b) {
  return assay::simt::with_rounding<FE_TOWARDZERO>([=] { return assay::simt::opaque(a) / b; });
}
inline double __dsqrt_rz(double a) {
  return assay::simt::with_rounding<FE_TOWARDZERO>([=] { return sqrt(assay::simt::opaque(a)); });
}
inline double __drcp_rz(double a) {
  return assay::simt::with_rounding<FE_TOWARDZERO>(
      [=] { return double(1) / assay::simt::opaque(a); });
}
inline double __fma_rz(double a, double b, double c) {
  return assay::simt::with_rounding<FE_TOWARDZERO>(
      [=] { return fma(assay::simt::opaque(a), b, c); });
}
inline double __dadd_rd(double a, double b) {
  return assay::simt::with_rounding<FE_DOWNWARD>([=] { return assay::simt::opaque(a) + b; });
}
inline double __dsub_rd(double a, double b) {
  return assay::simt::with_rounding<FE_DOWNWARD>([=] { return assay::simt::opaque(a) - b; });
}
inline double __dmul_rd(double a, double b) {
  return assay::simt::with_rounding<FE_DOWNWARD>([=] { return assay::simt::opaque(a) * b; });
}
inline double __ddiv_rd(double a, double b) {
  return assay::simt::with_rounding<FE_DOWNWARD>([=] { return assay::simt::opaque(a) / b; });
}
inline double __dsqrt_rd(double a) {
  return assay::simt::with_rounding<FE_DOWNWARD>([=] { return sqrt(assay::simt::opaque(a)); });
}
inline double __drcp_rd(double a) {
  return assay::simt::with_rounding<FE_DOWNWARD>(
      [=] { return double(1) / assay::simt::opaque(a); });
}
inline double __fma_rd(double a, double b, double c) {
  return assay::simt::with_rounding<FE_DOWNWARD>([=] { return fma(assay::simt::opaque(a), b, c); });
}
inline double __dadd_ru(double a, double b) {
  return assay::simt::with_rounding<FE_UPWARD>([=] { return assay::simt::opaque(a) + b; });
}
inline double __dsub_ru(double a, double b) {
  return assay::simt::with_rounding<FE_UPWARD>([=] { return assay::simt::opaque(a) - b; });
}
inline double __dmul_ru(double a, double b) {
  return assay::simt::with_rounding<FE_UPWARD>([=] { return assay::simt::opaque(a) * b; });
}
inline double __ddiv_ru(double a, double b) {
  return assay::simt::with_rounding<FE_UPWARD>([=] { return assay::simt::opaque(a) / b; });
}
inline double __dsqrt_ru(double a) {
  return assay::simt::with_rounding<FE_UPWARD>([=] { return sqrt(assay::simt::opaque(a)); });
}
inline double __drcp_ru(double a) {
  return assay::simt::with_rounding<FE_UPWARD>([=] { return double(1) / assay::simt::opaque(a); });
}
inline double __fma_ru(double a, double b, double c) {
  return assay::simt::with_rounding<FE_UPWARD>([=] { return fma(assay::simt::opaque(a), b, c); });
}
