#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "assay/simt/float_formats.hpp"
#include "assay/simt/integer_conversion.hpp"
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
constexpr unsigned min(int a, unsigned b) {
  return min(static_cast<unsigned>(a), b);
}
constexpr unsigned min(unsigned a, int b) {
  return min(a, static_cast<unsigned>(b));
}
constexpr unsigned max(int a, unsigned b) {
  return max(static_cast<unsigned>(a), b);
}
constexpr unsigned max(unsigned a, int b) {
  return max(a, static_cast<unsigned>(b));
}
constexpr unsigned long long min(long long a, unsigned long long b) {
  return min(static_cast<unsigned long long>(a), b);
}
constexpr unsigned long long min(unsigned long long a, long long b) {
  return min(a, static_cast<unsigned long long>(b));
}
constexpr unsigned long long max(long long a, unsigned long long b) {
  return max(static_cast<unsigned long long>(a), b);
}
constexpr unsigned long long max(unsigned long long a, long long b) {
  return max(a, static_cast<unsigned long long>(b));
}
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

constexpr int __clz(int x) {
  return std::countl_zero(static_cast<unsigned>(x));
}
constexpr int __clzll(long long x) {
  return std::countl_zero(static_cast<unsigned long long>(x));
}
constexpr int __ffs(int x) {
  return __builtin_ffs(x);
}
constexpr int __ffsll(long long x) {
  return __builtin_ffsll(x);
}
constexpr int __popc(unsigned x) {
  return std::popcount(x);
}
constexpr int __popcll(unsigned long long x) {
  return std::popcount(x);
}

/// Position of the nth set bit of `mask`, counting from `base` upwards for n > 0 and downwards for
/// n < 0; all ones where there is none.
constexpr unsigned __fns(unsigned mask, unsigned base, int n) {
  if (n == 0) return (mask >> base & 1U) != 0 ? base : ~0U;
  const int step = n < 0 ? -1 : 1;
  int left = n < 0 ? -n : n;
  for (int at = static_cast<int>(base); at >= 0 && at < 32; at += step) {
    if ((mask >> at & 1U) != 0 && --left == 0) return static_cast<unsigned>(at);
  }
  return ~0U;
}

constexpr unsigned __brev(unsigned x) {
  x = (x & 0x55555555U) << 1 | (x >> 1 & 0x55555555U);
  x = (x & 0x33333333U) << 2 | (x >> 2 & 0x33333333U);
  x = (x & 0x0f0f0f0fU) << 4 | (x >> 4 & 0x0f0f0f0fU);
  return __builtin_bswap32(x);
}
constexpr unsigned long long __brevll(unsigned long long x) {
  return static_cast<unsigned long long>(__brev(static_cast<unsigned>(x))) << 32 |
         __brev(static_cast<unsigned>(x >> 32));
}
/// Four bytes chosen from the eight of y:x by the nibbles of s; a nibble's top bit spreads the
/// chosen byte's sign.
constexpr unsigned __byte_perm(unsigned x, unsigned y, unsigned s) {
  const unsigned long long bytes = static_cast<unsigned long long>(y) << 32 | x;
  unsigned result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned selector = s >> (4 * i) & 0xfU;
    auto byte = static_cast<unsigned>(bytes >> (8 * (selector & 7U)) & 0xffU);
    if ((selector & 8U) != 0) byte = (byte & 0x80U) != 0 ? 0xffU : 0U;
    result |= byte << (8 * i);
  }
  return result;
}
constexpr unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned shift) {
  return static_cast<unsigned>((static_cast<unsigned long long>(hi) << 32 | lo) << (shift & 31U) >>
                               32);
}
constexpr unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned shift) {
  return static_cast<unsigned>((static_cast<unsigned long long>(hi) << 32 | lo) >> (shift & 31U));
}
constexpr unsigned __funnelshift_lc(unsigned lo, unsigned hi, unsigned shift) {
  return shift >= 32 ? lo : __funnelshift_l(lo, hi, shift);
}
constexpr unsigned __funnelshift_rc(unsigned lo, unsigned hi, unsigned shift) {
  return shift >= 32 ? hi : __funnelshift_r(lo, hi, shift);
}

constexpr int __mul24(int a, int b) {
  const auto low = [](int v) {
    return static_cast<long long>(static_cast<int>(static_cast<unsigned>(v) << 8) >> 8);
  };
  return static_cast<int>(low(a) * low(b));
}
constexpr unsigned __umul24(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<unsigned long long>(a & 0xffffffU) * (b & 0xffffffU));
}
constexpr int __mulhi(int a, int b) {
  return static_cast<int>(static_cast<long long>(a) * b >> 32);
}
constexpr unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32);
}
__extension__ typedef __int128 assay_simt_int128;
__extension__ typedef unsigned __int128 assay_simt_uint128;
constexpr long long __mul64hi(long long a, long long b) {
  return static_cast<long long>(static_cast<assay_simt_int128>(a) * b >> 64);
}
constexpr unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<assay_simt_uint128>(a) * b >> 64);
}
constexpr int __hadd(int a, int b) {
  return static_cast<int>((static_cast<long long>(a) + b) >> 1);
}
constexpr int __rhadd(int a, int b) {
  return static_cast<int>((static_cast<long long>(a) + b + 1) >> 1);
}
constexpr unsigned __uhadd(unsigned a, unsigned b) {
  return static_cast<unsigned>((static_cast<unsigned long long>(a) + b) >> 1);
}
constexpr unsigned __urhadd(unsigned a, unsigned b) {
  return static_cast<unsigned>((static_cast<unsigned long long>(a) + b + 1) >> 1);
}
constexpr unsigned __sad(int a, int b, unsigned c) {
  const long long d = static_cast<long long>(a) - b;
  return static_cast<unsigned>(d < 0 ? -d : d) + c;
}
constexpr unsigned __usad(unsigned a, unsigned b, unsigned c) {
  return (a < b ? b - a : a - b) + c;
}

namespace assay::simt {
template <class Lane>
constexpr int dot4(unsigned a, unsigned b) {
  int sum = 0;
  for (unsigned i = 0; i < 4; ++i) {
    sum += static_cast<int>(static_cast<Lane>(a >> (8 * i))) *
           static_cast<int>(static_cast<Lane>(b >> (8 * i)));
  }
  return sum;
}
}  // namespace assay::simt
constexpr int __dp4a(int a, int b, int c) {
  return static_cast<int>(static_cast<unsigned>(assay::simt::dot4<signed char>(
                              static_cast<unsigned>(a), static_cast<unsigned>(b))) +
                          static_cast<unsigned>(c));
}
constexpr unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  return static_cast<unsigned>(assay::simt::dot4<unsigned char>(a, b)) + c;
}
constexpr int __dp4a(char4 a, char4 b, int c) {
  return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w + c;
}
constexpr unsigned __dp4a(uchar4 a, uchar4 b, unsigned c) {
  return static_cast<unsigned>(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w) + c;
}
constexpr int __dp2a_lo(int a, int b, int c) {
  return static_cast<short>(a) * static_cast<signed char>(b) +
         static_cast<short>(a >> 16) * static_cast<signed char>(b >> 8) + c;
}
constexpr int __dp2a_lo(short2 a, char4 b, int c) {
  return a.x * b.x + a.y * b.y + c;
}
constexpr int __dp2a_hi(short2 a, char4 b, int c) {
  return a.x * b.z + a.y * b.w + c;
}
constexpr unsigned __dp2a_lo(ushort2 a, uchar4 b, unsigned c) {
  return static_cast<unsigned>(a.x) * b.x + static_cast<unsigned>(a.y) * b.y + c;
}
constexpr unsigned __dp2a_hi(ushort2 a, uchar4 b, unsigned c) {
  return static_cast<unsigned>(a.x) * b.z + static_cast<unsigned>(a.y) * b.w + c;
}
constexpr int __dp2a_hi(int a, int b, int c) {
  return __dp2a_lo(a, b >> 16, c);
}
constexpr unsigned __dp2a_lo(unsigned a, unsigned b, unsigned c) {
  return (a & 0xffffU) * (b & 0xffU) + (a >> 16) * (b >> 8 & 0xffU) + c;
}
constexpr unsigned __dp2a_hi(unsigned a, unsigned b, unsigned c) {
  return __dp2a_lo(a, b >> 16, c);
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
inline double normcdfinv(double y) {
  return M_SQRT2 * erfinv(2 * y - 1);
}
inline float normcdfinvf(float y) {
  return static_cast<float>(normcdfinv(double(y)));
}

// --- loads and stores with a cache hint, which here is only a hint ------------------------------
#define ASSAY_SIMT_LOAD(name) \
  template <class T>          \
  T name(const T* address) {  \
    return *address;          \
  }
ASSAY_SIMT_LOAD(__ldg)
ASSAY_SIMT_LOAD(__ldca)
ASSAY_SIMT_LOAD(__ldcg)
ASSAY_SIMT_LOAD(__ldcs)
ASSAY_SIMT_LOAD(__ldlu)
#undef ASSAY_SIMT_LOAD
/// Reads memory that another thread may be writing: not from a register.
template <class T>
T __ldcv(const T* address) {
  __asm__ volatile("" ::: "memory");
  return *address;
}
#define ASSAY_SIMT_STORE(name)                           \
  template <class T>                                     \
  void name(T* address, std::type_identity_t<T> value) { \
    *address = value;                                    \
  }
ASSAY_SIMT_STORE(__stcg)
ASSAY_SIMT_STORE(__stcs)
ASSAY_SIMT_STORE(__stwb)
ASSAY_SIMT_STORE(__stwt)
#undef ASSAY_SIMT_STORE

// --- clocks: nanoseconds count as cycles --------------------------------------------------------
inline long long clock64() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}
/// What the translator makes of clock() in device code; the C library's counts microseconds.
inline long assay_simt_clock() {
  return static_cast<long>(clock64());
}

/// What the translator makes of printf() in device code.
template <class... Arguments>
int assay_simt_printf(const char* format, Arguments... arguments) {
  if (format == nullptr) return -1;
  std::printf(format, arguments...);
  return static_cast<int>(sizeof...(Arguments));
}
