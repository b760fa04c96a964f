// Comparisons, minima and maxima of __half and __nv_bfloat16, with NaN and signed zeros.
#include "narrow.hpp"

using conformance::Buffer;
using Bits = std::vector<unsigned short>;

template <class T>
__global__ void compare(const unsigned short* in, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n * n) return;
  const T a = Narrow<T>::from_bits(in[i / n]), b = Narrow<T>::from_bits(in[i % n]);
  unsigned bits = 0;
  bits |= __heq(a, b) ? 1u << 0 : 0;
  bits |= __hne(a, b) ? 1u << 1 : 0;
  bits |= __hlt(a, b) ? 1u << 2 : 0;
  bits |= __hle(a, b) ? 1u << 3 : 0;
  bits |= __hgt(a, b) ? 1u << 4 : 0;
  bits |= __hge(a, b) ? 1u << 5 : 0;
  bits |= __hequ(a, b) ? 1u << 6 : 0;
  bits |= __hneu(a, b) ? 1u << 7 : 0;
  bits |= __hltu(a, b) ? 1u << 8 : 0;
  bits |= __hleu(a, b) ? 1u << 9 : 0;
  bits |= __hgtu(a, b) ? 1u << 10 : 0;
  bits |= __hgeu(a, b) ? 1u << 11 : 0;
  bits |= a == b ? 1u << 12 : 0;
  bits |= a != b ? 1u << 13 : 0;
  bits |= a < b ? 1u << 14 : 0;
  bits |= a >= b ? 1u << 15 : 0;
  out[i] = bits;
}

// The plain forms are false when a NaN takes part, the u forms are true. The operator != is the
// unordered one, as in C++.
static unsigned expected(double a, double b) {
  const bool unordered = std::isnan(a) || std::isnan(b);
  const bool ordered[6] = {a == b, !unordered && a != b, a<b, a <= b, a> b, a >= b};
  unsigned bits = 0;
  for (int i = 0; i < 6; ++i) {
    if (ordered[i]) bits |= 1u << i;
    if (ordered[i] || unordered) bits |= 64u << i;
  }
  if (a == b) bits |= 1u << 12;
  if (!(a == b)) bits |= 1u << 13;
  if (a < b) bits |= 1u << 14;
  if (a >= b) bits |= 1u << 15;
  return bits;
}

template <class T>
static void check_compare() {
  const Bits patterns = chosen_patterns<T>(20);
  const int n = static_cast<int>(patterns.size());
  Buffer<unsigned short> in(patterns);
  Buffer<unsigned> out(static_cast<std::size_t>(n) * n);
  compare<T><<<(n * n + 255) / 256, 256>>>(in.ptr(), out.ptr(), n);
  EXPECT_EACH(out, [&](std::size_t i) {
    return expected(value_of<T>(patterns[i / n]), value_of<T>(patterns[i % n]));
  });
}

CASE(half_comparisons) {
  check_compare<__half>();
}
CASE(bfloat16_comparisons) {
  check_compare<__nv_bfloat16>();
}

template <class T>
__global__ void extremes(const unsigned short* in, unsigned short* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n * n) return;
  const T a = Narrow<T>::from_bits(in[i / n]), b = Narrow<T>::from_bits(in[i % n]);
  out[4 * i] = Narrow<T>::bits(__hmin(a, b));
  out[4 * i + 1] = Narrow<T>::bits(__hmax(a, b));
  out[4 * i + 2] = Narrow<T>::bits(__hmin_nan(a, b));
  out[4 * i + 3] = Narrow<T>::bits(__hmax_nan(a, b));
}

// A NaN loses against a number, except in the _nan forms; -0 counts as less than +0.
static double extreme(double a, double b, bool greatest, bool keep_nan) {
  if (std::isnan(a) || std::isnan(b)) {
    if (keep_nan) return std::numeric_limits<double>::quiet_NaN();
    return std::isnan(a) ? b : a;
  }
  if (a == b) return std::signbit(a) == greatest ? b : a;
  return (a > b) == greatest ? a : b;
}

template <class T>
static void check_extremes() {
  const Bits patterns = chosen_patterns<T>(20);
  const int n = static_cast<int>(patterns.size());
  Buffer<unsigned short> in(patterns), out(static_cast<std::size_t>(4) * n * n);
  extremes<T><<<(n * n + 255) / 256, 256>>>(in.ptr(), out.ptr(), n);
  conformance::expect_elements(
      out,
      [&](std::size_t i, unsigned short got) {
        const double a = value_of<T>(patterns[i / 4 / n]), b = value_of<T>(patterns[i / 4 % n]);
        const double want = extreme(a, b, i % 2 == 1, i % 4 >= 2);
        const auto bits = soft_float::encode(Narrow<T>::kFormat, want);
        return same_bits<T>(got, static_cast<unsigned short>(bits));
      },
      [&](std::size_t i) {
        return "form " + std::to_string(i % 4) + " of " +
               conformance::show(value_of<T>(patterns[i / 4 / n])) + " and " +
               conformance::show(value_of<T>(patterns[i / 4 % n]));
      },
      "extremes", __FILE__, __LINE__);
}

CASE(half_min_and_max) {
  check_extremes<__half>();
}
CASE(bfloat16_min_and_max) {
  check_extremes<__nv_bfloat16>();
}

template <class T>
__global__ void classify(int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const T value = Narrow<T>::from_bits(static_cast<unsigned short>(i));
  out[i] = (__hisnan(value) ? 1 : 0) + 10 * __hisinf(value);
}

template <class T>
static void check_classify() {
  Buffer<int> out(65536);
  classify<T><<<256, 256>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t i) {
    const double value = value_of<T>(static_cast<unsigned short>(i));
    if (std::isnan(value)) return 1;
    return std::isinf(value) ? (value > 0 ? 10 : -10) : 0;
  });
}

CASE(half_isnan_and_isinf) {
  check_classify<__half>();
}
CASE(bfloat16_isnan_and_isinf) {
  check_classify<__nv_bfloat16>();
}
