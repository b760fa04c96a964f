// __half2 and __nv_bfloat162: packing, element-wise arithmetic, comparisons and their masks.
#include "narrow.hpp"

using conformance::Buffer;

__global__ void pack_halves(unsigned short* out) {
  const __half2 a = __halves2half2(__ushort_as_half(0x1111), __ushort_as_half(0x2222));
  const __half2 b = make_half2(__ushort_as_half(0x3333), __ushort_as_half(0x4444));
  const __half2 pairs[9] = {a,
                            b,
                            __lowhigh2highlow(a),
                            __lows2half2(a, b),
                            __highs2half2(a, b),
                            __low2half2(a),
                            __high2half2(b),
                            __half2half2(__low2half(b)),
                            __halves2half2(__high2half(a), b.x)};
  for (int i = 0; i < 9; ++i) {
    out[2 * i] = __half_as_ushort(pairs[i].x);
    out[2 * i + 1] = __half_as_ushort(pairs[i].y);
  }
}

__global__ void pack_bfloats(unsigned short* out) {
  const __nv_bfloat162 a =
      __halves2bfloat162(__ushort_as_bfloat16(0x1111), __ushort_as_bfloat16(0x2222));
  const __nv_bfloat162 b =
      make_bfloat162(__ushort_as_bfloat16(0x3333), __ushort_as_bfloat16(0x4444));
  const __nv_bfloat162 pairs[9] = {a,
                                   b,
                                   __lowhigh2highlow(a),
                                   __lows2bfloat162(a, b),
                                   __highs2bfloat162(a, b),
                                   __low2bfloat162(a),
                                   __high2bfloat162(b),
                                   __bfloat162bfloat162(__low2bfloat16(b)),
                                   __halves2bfloat162(__high2bfloat16(a), b.x)};
  for (int i = 0; i < 9; ++i) {
    out[2 * i] = __bfloat16_as_ushort(pairs[i].x);
    out[2 * i + 1] = __bfloat16_as_ushort(pairs[i].y);
  }
}

CASE(packing_and_unpacking) {
  constexpr unsigned short kWant[18] = {0x1111, 0x2222, 0x3333, 0x4444, 0x2222, 0x1111,
                                        0x1111, 0x3333, 0x2222, 0x4444, 0x1111, 0x1111,
                                        0x4444, 0x4444, 0x3333, 0x3333, 0x2222, 0x3333};
  Buffer<unsigned short> halves(18), bfloats(18);
  pack_halves<<<1, 1>>>(halves.ptr());
  pack_bfloats<<<1, 1>>>(bfloats.ptr());
  EXPECT_EACH(halves, [&](std::size_t i) { return kWant[i]; });
  EXPECT_EACH(bfloats, [&](std::size_t i) { return kWant[i]; });
}

__global__ void through_float2(const float2* in, float2* out) {
  const int i = threadIdx.x;
  out[4 * i] = __half22float2(__float22half2_rn(in[i]));
  out[4 * i + 1] = __bfloat1622float2(__float22bfloat162_rn(in[i]));
  const __half2 halves = __floats2half2_rn(in[i].y, in[i].x);
  const __nv_bfloat162 bfloats = __floats2bfloat162_rn(in[i].y, in[i].x);
  out[4 * i + 2] = make_float2(__low2float(halves), __high2float(halves));
  out[4 * i + 3] = make_float2(__low2float(bfloats), __high2float(bfloats));
}

CASE(pairs_of_floats) {
  std::vector<float2> values(64);
  conformance::Random random(3);
  for (float2& value : values) {
    value = make_float2(static_cast<float>(random.uniform(-100, 100)),
                        static_cast<float>(random.uniform(-1, 1)));
  }
  Buffer<float2> in(values), out(256);
  through_float2<<<1, 64>>>(in.ptr(), out.ptr());
  const std::vector<float2> got = out.host();
  for (int i = 0; i < 256; ++i) {
    const auto& format = i % 2 == 0 ? soft_float::kHalf : soft_float::kBfloat16;
    const double x = soft_float::round_to(format, values[i / 4].x);
    const double y = soft_float::round_to(format, values[i / 4].y);
    EXPECT_EQ(static_cast<double>(got[i].x), i % 4 < 2 ? x : y);
    EXPECT_EQ(static_cast<double>(got[i].y), i % 4 < 2 ? y : x);
  }
}

constexpr int kOperations = 14;

// Two patterns at a time; the second element meets its partners in reverse order.
template <class T>
__global__ void elementwise(const unsigned short* in, unsigned short* out, int n) {
  using Pair = typename Narrow<T>::Pair;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const Pair a = Narrow<T>::pair(Narrow<T>::from_bits(in[i]), Narrow<T>::from_bits(in[n - 1 - i]));
  const Pair b = Narrow<T>::pair(Narrow<T>::from_bits(in[(i * 7 + 3) % n]),
                                 Narrow<T>::from_bits(in[(i * 5 + 1) % n]));
  const Pair c = Narrow<T>::pair(Narrow<T>::from_bits(in[(i * 3 + 2) % n]),
                                 Narrow<T>::from_bits(in[(i + 9) % n]));
  const Pair results[kOperations] = {
      __hadd2(a, b), __hsub2(a, b),     __hmul2(a, b),     __h2div(a, b), __hfma2(a, b, c),
      __hneg2(a),    __habs2(a),        __hmax2(a, b),     __hmin2(a, b), a + b,
      a * b,         __hadd2_sat(a, b), __hmax2_nan(a, b), a - b};
  for (int k = 0; k < kOperations; ++k) {
    out[(i * kOperations + k) * 2] = Narrow<T>::bits(results[k].x);
    out[(i * kOperations + k) * 2 + 1] = Narrow<T>::bits(results[k].y);
  }
}

static double expected(int operation, double a, double b, double c) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const bool unordered = std::isnan(a) || std::isnan(b);
  switch (operation) {
    case 0:
    case 9:
    case 11:
      return soft_float::add_odd(a, b);
    case 1:
    case 13:
      return soft_float::add_odd(a, -b);
    case 2:
    case 10:
      return a * b;
    case 3:
      return soft_float::divide_odd(a, b);
    case 4:
      return soft_float::fma_odd(a, b, c);
    case 5:
      return -a;
    case 6:
      return std::abs(a);
    case 7:
      return std::isnan(a) ? b : std::isnan(b) || a > b || (a == b && !std::signbit(a)) ? a : b;
    case 8:
      return std::isnan(a) ? b : std::isnan(b) || a < b || (a == b && std::signbit(a)) ? a : b;
    default:
      return unordered ? nan : a > b || (a == b && !std::signbit(a)) ? a : b;
  }
}

template <class T>
static void check_elementwise() {
  const std::vector<unsigned short> in = chosen_patterns<T>(250);
  const int n = static_cast<int>(in.size());
  Buffer<unsigned short> device_in(in), out(static_cast<std::size_t>(n) * kOperations * 2);
  elementwise<T><<<(n + 63) / 64, 64>>>(device_in.ptr(), out.ptr(), n);
  auto exact = [&](std::size_t at) {
    const int i = static_cast<int>(at) / (2 * kOperations);
    const bool high = at % 2 == 1;
    const double a = value_of<T>(in[high ? n - 1 - i : i]);
    const double b = value_of<T>(in[high ? (i * 5 + 1) % n : (i * 7 + 3) % n]);
    const double c = value_of<T>(in[high ? (i + 9) % n : (i * 3 + 2) % n]);
    return expected(static_cast<int>(at / 2) % kOperations, a, b, c);
  };
  conformance::expect_elements(
      out,
      [&](std::size_t at, unsigned short got) {
        const auto bits =
            static_cast<unsigned short>(soft_float::encode(Narrow<T>::kFormat, exact(at)));
        if (at / 2 % kOperations == 11) {  // saturating: NaN and negatives to zero
          const double sum = value_of<T>(bits);
          return value_of<T>(got) == (std::isnan(sum) || sum < 0 ? 0.0 : sum > 1 ? 1.0 : sum);
        }
        return same_bits<T>(got, bits);
      },
      [&](std::size_t at) {
        return conformance::show(exact(at)) + " rounded, operation " +
               std::to_string(at / 2 % kOperations);
      },
      "elementwise", __FILE__, __LINE__);
}

CASE(half2_elementwise_arithmetic) {
  check_elementwise<__half>();
}
CASE(bfloat162_elementwise_arithmetic) {
  check_elementwise<__nv_bfloat16>();
}

// Per pair: 1.0 or 0.0 in each element, a mask of ones per element, and one answer for both.
template <class T>
__global__ void compare_pairs(const unsigned short* in, unsigned* out, int n) {
  using Pair = typename Narrow<T>::Pair;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n * n) return;
  const T first = Narrow<T>::from_bits(in[i / n]), second = Narrow<T>::from_bits(in[i % n]);
  const Pair a = Narrow<T>::pair(first, second), b = Narrow<T>::pair(second, second);
  const Pair less = __hlt2(a, b), unordered = __hneu2(a, b);
  out[5 * i] = Narrow<T>::bits(less.x) | static_cast<unsigned>(Narrow<T>::bits(less.y)) << 16;
  out[5 * i + 1] =
      Narrow<T>::bits(unordered.x) | static_cast<unsigned>(Narrow<T>::bits(unordered.y)) << 16;
  out[5 * i + 2] = __hge2_mask(a, b);
  out[5 * i + 3] = __hleu2_mask(a, b);
  out[5 * i + 4] = (__hbeq2(a, b) ? 1u : 0u) | (__hbgeu2(a, b) ? 2u : 0u) | (a == b ? 4u : 0u);
}

template <class T>
static void check_comparisons() {
  const std::vector<unsigned short> in = chosen_patterns<T>(4);
  const int n = static_cast<int>(in.size());
  Buffer<unsigned short> device_in(in);
  Buffer<unsigned> out(static_cast<std::size_t>(5) * n * n);
  compare_pairs<T><<<(n * n + 63) / 64, 64>>>(device_in.ptr(), out.ptr(), n);
  const unsigned one = soft_float::encode(Narrow<T>::kFormat, 1.0);
  EXPECT_EACH(out, [&](std::size_t at) {
    const int i = static_cast<int>(at / 5);
    const double a = value_of<T>(in[i / n]), b = value_of<T>(in[i % n]);
    const bool second_is_nan = std::isnan(b);
    switch (at % 5) {
      case 0:
        return a < b ? one : 0u;
      case 1:
        return (!(a == b) ? one : 0u) | (second_is_nan ? one << 16 : 0u);
      case 2:
        return (a >= b ? 0xffffu : 0u) | (second_is_nan ? 0u : 0xffff0000u);
      case 3:
        return (!(a > b) ? 0xffffu : 0u) | 0xffff0000u;
      default:
        return (a == b && !second_is_nan ? 5u : 0u) | (!(a < b) ? 2u : 0u);
    }
  });
}

CASE(half2_comparisons_and_masks) {
  check_comparisons<__half>();
}
CASE(bfloat162_comparisons_and_masks) {
  check_comparisons<__nv_bfloat16>();
}

template <class T>
__global__ void complex_multiply(const unsigned short* in, unsigned short* out) {
  using Pair = typename Narrow<T>::Pair;
  auto at = [&](int k) {
    return Narrow<T>::pair(Narrow<T>::from_bits(in[2 * k]), Narrow<T>::from_bits(in[2 * k + 1]));
  };
  const int i = threadIdx.x;
  const Pair result = __hcmadd(at(3 * i), at(3 * i + 1), at(3 * i + 2));
  out[2 * i] = Narrow<T>::bits(result.x);
  out[2 * i + 1] = Narrow<T>::bits(result.y);
}

template <class T>
static void check_complex() {
  constexpr int kCount = 200;
  constexpr auto kFormat = Narrow<T>::kFormat;
  conformance::Random random(8);
  std::vector<unsigned short> in(6 * kCount);
  for (unsigned short& bits : in) {
    bits = static_cast<unsigned short>(soft_float::encode(kFormat, random.uniform(-8, 8)));
  }
  Buffer<unsigned short> device_in(in), out(2 * kCount);
  complex_multiply<T><<<1, kCount>>>(device_in.ptr(), out.ptr());
  EXPECT_EACH(out, [&](std::size_t at) {
    double v[6];
    for (int k = 0; k < 6; ++k) v[k] = value_of<T>(in[at / 2 * 6 + k]);
    auto fma = [&](double a, double b, double c) {
      return soft_float::round_to(kFormat, soft_float::fma_odd(a, b, c));
    };
    const double result = at % 2 == 0 ? fma(-v[1], v[3], fma(v[0], v[2], v[4]))
                                      : fma(v[1], v[2], fma(v[0], v[3], v[5]));
    return static_cast<unsigned short>(soft_float::encode(kFormat, result));
  });
}

CASE(complex_multiply_add) {
  check_complex<__half>();
  check_complex<__nv_bfloat16>();
}
