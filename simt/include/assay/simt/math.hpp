#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "assay/simt/float_formats.hpp"
#include "assay/simt/integer_conversion.hpp"
#include "assay/simt/integer_math.hpp"
#include "assay/simt/vector_types.hpp"

// --- min, max and abs without std:: --------------------------------------------------------
#define ASSAY_SIMT_MIN_MAX(T) \
  constexpr T min(T a, T b) { \
    return b < a ? b : a;     \
  }                           \
  constexpr T max(T a, T b) { \
    return a < b ? b : a;     \
  }
ASSAY_SIMT_MIN_MAX(int)
ASSAY_SIMT_MIN_MAX(unsigned int)
ASSAY_SIMT_MIN_MAX(long)
ASSAY_SIMT_MIN_MAX(unsigned long)
ASSAY_SIMT_MIN_MAX(long long)
ASSAY_SIMT_MIN_MAX(unsigned long long)
#undef ASSAY_SIMT_MIN_MAX
// CUDA mixes signed and unsigned here; the result is unsigned.
#define ASSAY_SIMT_MIN_MAX(S, U)      \
  constexpr U min(S a, U b) {         \
    return min(static_cast<U>(a), b); \
  }                                   \
  constexpr U min(U a, S b) {         \
    return min(a, static_cast<U>(b)); \
  }                                   \
  constexpr U max(S a, U b) {         \
    return max(static_cast<U>(a), b); \
  }                                   \
  constexpr U max(U a, S b) {         \
    return max(a, static_cast<U>(b)); \
  }
ASSAY_SIMT_MIN_MAX(int, unsigned int)
ASSAY_SIMT_MIN_MAX(long, unsigned long)
ASSAY_SIMT_MIN_MAX(long long, unsigned long long)
#undef ASSAY_SIMT_MIN_MAX
// A NaN loses against a number.
inline float min(float a, float b) {
  return fminf(a, b);
}
inline float max(float a, float b) {
  return fmaxf(a, b);
}
inline double min(double a, double b) {
  return fmin(a, b);
}
inline double max(double a, double b) {
  return fmax(a, b);
}
inline double min(float a, double b) {
  return fmin(double(a), b);
}
inline double min(double a, float b) {
  return fmin(a, double(b));
}
inline double max(float a, double b) {
  return fmax(double(a), b);
}
inline double max(double a, float b) {
  return fmax(a, double(b));
}

// --- bits of floats ------------------------------------------------------------------------
constexpr int __float_as_int(float x) {
  return std::bit_cast<int>(x);
}
constexpr unsigned __float_as_uint(float x) {
  return std::bit_cast<unsigned>(x);
}
constexpr float __int_as_float(int x) {
  return std::bit_cast<float>(x);
}
constexpr float __uint_as_float(unsigned x) {
  return std::bit_cast<float>(x);
}
constexpr long long __double_as_longlong(double x) {
  return std::bit_cast<long long>(x);
}
constexpr double __longlong_as_double(long long x) {
  return std::bit_cast<double>(x);
}
constexpr int __double2hiint(double x) {
  return static_cast<int>(std::bit_cast<unsigned long long>(x) >> 32);
}
constexpr int __double2loint(double x) {
  return static_cast<int>(std::bit_cast<unsigned long long>(x));
}
constexpr double __hiloint2double(int hi, int lo) {
  return std::bit_cast<double>(static_cast<unsigned long long>(static_cast<unsigned>(hi)) << 32 |
                               static_cast<unsigned>(lo));
}

// --- arithmetic with a named rounding ------------------------------------------------------
#include "assay/simt/rounded_arithmetic.hpp"

// --- fast approximations: here, as good as the precise ones ----------------------------------
inline float __expf(float x) {
  return expf(x);
}
inline float __exp10f(float x) {
  return static_cast<float>(std::pow(10.0, double(x)));
}
inline float __logf(float x) {
  return logf(x);
}
inline float __log2f(float x) {
  return log2f(x);
}
inline float __log10f(float x) {
  return log10f(x);
}
inline float __sinf(float x) {
  return sinf(x);
}
inline float __cosf(float x) {
  return cosf(x);
}
inline float __tanf(float x) {
  return tanf(x);
}
inline float __tanhf(float x) {
  return tanhf(x);
}
inline void __sincosf(float x, float* s, float* c) {
  sincosf(x, s, c);
}
inline float __powf(float x, float y) {
  return powf(x, y);
}
inline float __fdividef(float x, float y) {
  return x / y;
}
inline float __frsqrt_rn(float x) {
  return static_cast<float>(1.0 / std::sqrt(double(x)));
}
inline float __saturatef(float x) {
  return x > 1 ? 1.0F : x > 0 ? x : 0.0F;
}  // NaN gives 0

inline float rsqrtf(float x) {
  return static_cast<float>(1.0 / std::sqrt(double(x)));
}
inline double rsqrt(double x) {
  return 1.0 / std::sqrt(x);
}
inline float rsqrt(float x) {
  return rsqrtf(x);
}
inline float rcbrtf(float x) {
  return static_cast<float>(1.0 / std::cbrt(double(x)));
}
inline double rcbrt(double x) {
  return 1.0 / std::cbrt(x);
}
inline float rhypotf(float x, float y) {
  return static_cast<float>(1.0 / std::hypot(double(x), double(y)));
}
inline double rhypot(double x, double y) {
  return 1.0 / std::hypot(x, y);
}
inline float norm3df(float a, float b, float c) {
  return std::hypot(a, b, c);
}
inline double norm3d(double a, double b, double c) {
  return std::hypot(a, b, c);
}
inline double norm4d(double a, double b, double c, double d) {
  return std::hypot(std::hypot(a, b), std::hypot(c, d));
}
inline float norm4df(float a, float b, float c, float d) {
  return static_cast<float>(norm4d(double(a), double(b), double(c), double(d)));
}
inline float rnorm3df(float a, float b, float c) {
  return static_cast<float>(1.0 / std::hypot(double(a), double(b), double(c)));
}
inline double rnorm4d(double a, double b, double c, double d) {
  return 1.0 / norm4d(a, b, c, d);
}
inline float rnorm4df(float a, float b, float c, float d) {
  return static_cast<float>(rnorm4d(double(a), double(b), double(c), double(d)));
}
inline double norm(int count, const double* values) {
  double length = 0;
  for (int i = 0; i < count; ++i) length = std::hypot(length, values[i]);
  return length;
}
inline float normf(int count, const float* values) {
  double length = 0;
  for (int i = 0; i < count; ++i) length = std::hypot(length, double(values[i]));
  return static_cast<float>(length);
}
inline double rnorm(int count, const double* values) {
  return 1.0 / norm(count, values);
}
inline float rnormf(int count, const float* values) {
  return 1.0F / normf(count, values);
}
inline double rnorm3d(double a, double b, double c) {
  return 1.0 / std::hypot(a, b, c);
}
inline double sinpi(double x) {
  return std::sin(M_PI * std::remainder(x, 2.0));
}
inline double cospi(double x) {
  return std::cos(M_PI * std::remainder(x, 2.0));
}
inline float sinpif(float x) {
  return static_cast<float>(sinpi(double(x)));
}
inline float cospif(float x) {
  return static_cast<float>(cospi(double(x)));
}
inline void sincospi(double x, double* s, double* c) {
  *s = sinpi(x), *c = cospi(x);
}
inline void sincospif(float x, float* s, float* c) {
  *s = sinpif(x), *c = cospif(x);
}
inline double normcdf(double x) {
  return 0.5 * std::erfc(-x * M_SQRT1_2);
}
inline float normcdff(float x) {
  return static_cast<float>(normcdf(double(x)));
}
inline double erfcx(double x) {
  if (x < 25) return std::exp(x * x) * std::erfc(x);
  const double r = 1 / (x * x);  // beyond, erfc underflows: the first terms of its expansion
  return (1 - r / 2 * (1 - 1.5 * r)) / (x * std::sqrt(M_PI));
}
inline float erfcxf(float x) {
  return static_cast<float>(erfcx(double(x)));
}
inline double cyl_bessel_i0(double x) {
  return std::cyl_bessel_i(0, std::fabs(x));
}
inline double cyl_bessel_i1(double x) {
  return std::copysign(std::cyl_bessel_i(1, std::fabs(x)), x);
}
inline float cyl_bessel_i0f(float x) {
  return static_cast<float>(cyl_bessel_i0(double(x)));
}
inline float cyl_bessel_i1f(float x) {
  return static_cast<float>(cyl_bessel_i1(double(x)));
}
inline float fdividef(float x, float y) {
  return x / y;
}
/// erf's inverse: a starting guess by Winitzki, then Newton, which doubles the digits each step.
inline double erfinv(double y) {
  if (y <= -1 || y >= 1) return y == 1 ? INFINITY : y == -1 ? -INFINITY : NAN;
  const double l = std::log1p(-y * y);
  const double t = 2 / (M_PI * 0.147) + l / 2;
  double x = std::copysign(std::sqrt(std::sqrt(t * t - l / 0.147) - t), y);
  for (int i = 0; i < 4; ++i) {
    // Far out, 1 - erf loses its digits; erfc keeps them.
    const double far = (1 - std::fabs(y)) - std::erfc(std::fabs(x));
    const double error = std::fabs(y) < 0.5 ? std::erf(x) - y : y < 0 ? -far : far;
    x -= error * std::sqrt(M_PI) / 2 * std::exp(x * x);
  }
  return x;
}
inline float erfinvf(float y) {
  return static_cast<float>(erfinv(double(y)));
}
inline double erfcinv(double y) {
  if (y > 0.5) return erfinv(1 - y);
  if (y <= 0) return y == 0 ? INFINITY : NAN;
  // 1 - y would lose the digits of a small y.
  double x = std::sqrt(-std::log(y * std::sqrt(M_PI) * std::sqrt(-std::log(y))));
  for (int i = 0; i < 6; ++i) {
    const double step = (std::erfc(x) - y) * std::sqrt(M_PI) / 2 * std::exp(x * x);
    x += step / (1 - x * step);  // Halley's
  }
  return x;
}
inline float erfcinvf(float y) {
  return static_cast<float>(erfcinv(double(y)));
}
inline double normcdfinv(double y) {
  return M_SQRT2 * erfinv(2 * y - 1);
}
inline float normcdfinvf(float y) {
  return static_cast<float>(normcdfinv(double(y)));
}
