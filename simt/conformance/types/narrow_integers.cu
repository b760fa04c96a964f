// Integers to __half and __nv_bfloat16 and back, in every rounding mode.
#include "narrow.hpp"

using conformance::Buffer;
using soft_float::Round;

constexpr Round kModes[4] = {Round::nearest_even, Round::toward_zero, Round::up, Round::down};

#define FROM_INTEGER(kernel, Integer, convert, as_bits)                   \
  __global__ void kernel(const Integer* in, unsigned short* out, int n) { \
    const int i = blockIdx.x * blockDim.x + threadIdx.x;                  \
    if (i >= n) return;                                                   \
    out[i] = as_bits(convert##_rn(in[i]));                                \
    out[n + i] = as_bits(convert##_rz(in[i]));                            \
    out[2 * n + i] = as_bits(convert##_ru(in[i]));                        \
    out[3 * n + i] = as_bits(convert##_rd(in[i]));                        \
  }

FROM_INTEGER(half_from_short, short, __short2half, __half_as_ushort)
FROM_INTEGER(half_from_ushort, unsigned short, __ushort2half, __half_as_ushort)
FROM_INTEGER(half_from_int, int, __int2half, __half_as_ushort)
FROM_INTEGER(half_from_uint, unsigned, __uint2half, __half_as_ushort)
FROM_INTEGER(half_from_ll, long long, __ll2half, __half_as_ushort)
FROM_INTEGER(half_from_ull, unsigned long long, __ull2half, __half_as_ushort)
FROM_INTEGER(bfloat16_from_short, short, __short2bfloat16, __bfloat16_as_ushort)
FROM_INTEGER(bfloat16_from_ushort, unsigned short, __ushort2bfloat16, __bfloat16_as_ushort)
FROM_INTEGER(bfloat16_from_int, int, __int2bfloat16, __bfloat16_as_ushort)
FROM_INTEGER(bfloat16_from_uint, unsigned, __uint2bfloat16, __bfloat16_as_ushort)
FROM_INTEGER(bfloat16_from_ll, long long, __ll2bfloat16, __bfloat16_as_ushort)
FROM_INTEGER(bfloat16_from_ull, unsigned long long, __ull2bfloat16, __bfloat16_as_ushort)

/// Small numbers, numbers around every power of two and its half steps, and random ones.
template <class Integer>
static std::vector<Integer> samples() {
  std::vector<Integer> values;
  for (int i = 0; i < 300; ++i) values.push_back(static_cast<Integer>(i));
  for (int bit = 8; bit < std::numeric_limits<Integer>::digits; ++bit) {
    const auto power = static_cast<Integer>(Integer{1} << bit);
    for (const int shift : {3, 8, 9, 10, 11, 12}) {
      if (shift > bit) continue;
      const auto half_step = static_cast<Integer>(power + (power >> shift));
      for (const int offset : {-1, 0, 1}) {
        values.push_back(static_cast<Integer>(power + offset));
        values.push_back(static_cast<Integer>(half_step + offset));
      }
    }
  }
  conformance::Random random(4);
  for (int i = 0; i < 300; ++i) values.push_back(static_cast<Integer>(random.bits64()));
  const std::size_t count = values.size();
  if (std::numeric_limits<Integer>::is_signed) {
    for (std::size_t i = 0; i < count; ++i) values.push_back(static_cast<Integer>(-values[i]));
  }
  return values;
}

/// An integer as a double that rounds to a narrow format as the integer itself would.
template <class Integer>
static double to_double(Integer value) {
  bool negative = false;
  if constexpr (std::numeric_limits<Integer>::is_signed) negative = value < 0;
  auto magnitude = static_cast<std::uint64_t>(value);
  if (negative) magnitude = 0 - magnitude;
  const std::uint64_t low = magnitude & 0xfff;
  // Of a large one, twelve low bits become one bit that says whether any was set.
  const double whole = magnitude < (1ull << 52)
                           ? static_cast<double>(magnitude)
                           : static_cast<double>((magnitude >> 12) * 2 + (low != 0)) * 2048.0;
  return negative ? -whole : whole;
}

template <class T, class Integer>
static void check_from(void (*kernel)(const Integer*, unsigned short*, int)) {
  const std::vector<Integer> values = samples<Integer>();
  const int n = static_cast<int>(values.size());
  Buffer<Integer> in(values);
  Buffer<unsigned short> out(4 * values.size());
  kernel<<<(n + 127) / 128, 128>>>(in.ptr(), out.ptr(), n);
  EXPECT_EACH(out, [&](std::size_t i) {
    const double exact = to_double(values[i % n]);
    return static_cast<unsigned short>(
        soft_float::encode(Narrow<T>::kFormat, exact, kModes[i / n]));
  });
}

CASE(half_from_integers) {
  check_from<__half>(half_from_short);
  check_from<__half>(half_from_ushort);
  check_from<__half>(half_from_int);
  check_from<__half>(half_from_uint);
  check_from<__half>(half_from_ll);
  check_from<__half>(half_from_ull);
}

CASE(bfloat16_from_integers) {
  check_from<__nv_bfloat16>(bfloat16_from_short);
  check_from<__nv_bfloat16>(bfloat16_from_ushort);
  check_from<__nv_bfloat16>(bfloat16_from_int);
  check_from<__nv_bfloat16>(bfloat16_from_uint);
  check_from<__nv_bfloat16>(bfloat16_from_ll);
  check_from<__nv_bfloat16>(bfloat16_from_ull);
}

#define TO_INTEGER(kernel, Integer, convert, from_bits)                   \
  __global__ void kernel(const unsigned short* in, Integer* out, int n) { \
    const int i = blockIdx.x * blockDim.x + threadIdx.x;                  \
    if (i >= n) return;                                                   \
    out[i] = convert##_rn(from_bits(in[i]));                              \
    out[n + i] = convert##_rz(from_bits(in[i]));                          \
    out[2 * n + i] = convert##_ru(from_bits(in[i]));                      \
    out[3 * n + i] = convert##_rd(from_bits(in[i]));                      \
  }

TO_INTEGER(half_to_short, short, __half2short, __ushort_as_half)
TO_INTEGER(half_to_ushort, unsigned short, __half2ushort, __ushort_as_half)
TO_INTEGER(half_to_int, int, __half2int, __ushort_as_half)
TO_INTEGER(half_to_uint, unsigned, __half2uint, __ushort_as_half)
TO_INTEGER(half_to_ll, long long, __half2ll, __ushort_as_half)
TO_INTEGER(half_to_ull, unsigned long long, __half2ull, __ushort_as_half)
TO_INTEGER(bfloat16_to_short, short, __bfloat162short, __ushort_as_bfloat16)
TO_INTEGER(bfloat16_to_ushort, unsigned short, __bfloat162ushort, __ushort_as_bfloat16)
TO_INTEGER(bfloat16_to_int, int, __bfloat162int, __ushort_as_bfloat16)
TO_INTEGER(bfloat16_to_uint, unsigned, __bfloat162uint, __ushort_as_bfloat16)
TO_INTEGER(bfloat16_to_ll, long long, __bfloat162ll, __ushort_as_bfloat16)
TO_INTEGER(bfloat16_to_ull, unsigned long long, __bfloat162ull, __ushort_as_bfloat16)

static double to_whole(double x, Round mode) {
  switch (mode) {
    case Round::toward_zero:
      return std::trunc(x);
    case Round::up:
      return std::ceil(x);
    case Round::down:
      return std::floor(x);
    case Round::nearest_even:
      break;
  }
  const double below = std::floor(x), rest = x - below;
  if (rest != 0.5) return rest < 0.5 ? below : below + 1;
  return std::fmod(below, 2) == 0 ? below : below + 1;
}

/// Patterns whose value, rounded either way, fits the integer: outside the result is undefined.
template <class T, class Integer>
static std::vector<unsigned short> patterns_in_range() {
  const double high = std::ldexp(1.0, std::numeric_limits<Integer>::digits);
  const double low = std::numeric_limits<Integer>::is_signed ? -high : 0;
  std::vector<unsigned short> fitting;
  for (const unsigned short bits : all_patterns()) {
    const double value = value_of<T>(bits);
    if (std::floor(value) >= low && std::ceil(value) < high) fitting.push_back(bits);
  }
  return fitting;
}

template <class T, class Integer>
static void check_to(void (*kernel)(const unsigned short*, Integer*, int)) {
  const std::vector<unsigned short> patterns = patterns_in_range<T, Integer>();
  const int n = static_cast<int>(patterns.size());
  Buffer<unsigned short> in(patterns);
  Buffer<Integer> out(4 * patterns.size());
  kernel<<<(n + 127) / 128, 128>>>(in.ptr(), out.ptr(), n);
  EXPECT_EACH(out, [&](std::size_t i) {
    return static_cast<Integer>(to_whole(value_of<T>(patterns[i % n]), kModes[i / n]));
  });
}

CASE(half_to_integers) {
  check_to<__half>(half_to_short);
  check_to<__half>(half_to_ushort);
  check_to<__half>(half_to_int);
  check_to<__half>(half_to_uint);
  check_to<__half>(half_to_ll);
  check_to<__half>(half_to_ull);
}

CASE(bfloat16_to_integers) {
  check_to<__nv_bfloat16>(bfloat16_to_short);
  check_to<__nv_bfloat16>(bfloat16_to_ushort);
  check_to<__nv_bfloat16>(bfloat16_to_int);
  check_to<__nv_bfloat16>(bfloat16_to_uint);
  check_to<__nv_bfloat16>(bfloat16_to_ll);
  check_to<__nv_bfloat16>(bfloat16_to_ull);
}
