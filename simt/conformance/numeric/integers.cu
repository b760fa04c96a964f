// Integer arithmetic intrinsics: wide products, averages, sums of differences, dot products.
#include <algorithm>

#include "../conformance.hpp"

using conformance::Buffer;

constexpr int kCount = 400;

/// Pairs that reach the corners and a random sample of the rest.
static std::vector<unsigned long long> operands(std::uint64_t seed) {
  const unsigned long long corners[8] = {
      0, 1, 0x7fffffffull, 0x80000000ull, 0xffffffff, 0xffffffull, 0x7fffffffffffffffull, ~0ull};
  conformance::Random random(seed);
  std::vector<unsigned long long> values(2 * kCount);
  for (int i = 0; i < kCount; ++i) {
    values[2 * i] = i < 64 ? corners[i / 8] : random.bits64();
    values[2 * i + 1] = i < 64 ? corners[i % 8] : random.bits64();
  }
  return values;
}

__global__ void high_products(const unsigned long long* in, unsigned long long* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= kCount) return;
  const unsigned long long a = in[2 * i], b = in[2 * i + 1];
  out[4 * i] = static_cast<unsigned>(__mulhi(static_cast<int>(a), static_cast<int>(b)));
  out[4 * i + 1] = __umulhi(static_cast<unsigned>(a), static_cast<unsigned>(b));
  out[4 * i + 2] = static_cast<unsigned long long>(
      __mul64hi(static_cast<long long>(a), static_cast<long long>(b)));
  out[4 * i + 3] = __umul64hi(a, b);
}

CASE(high_half_of_products) {
  const std::vector<unsigned long long> values = operands(1);
  Buffer<unsigned long long> in(values), out(4 * kCount);
  high_products<<<4, 100>>>(in.ptr(), out.ptr());
  EXPECT_EACH(out, [&](std::size_t i) -> unsigned long long {
    const unsigned long long a = values[i / 4 * 2], b = values[i / 4 * 2 + 1];
    const auto narrow_a = static_cast<int>(a), narrow_b = static_cast<int>(b);
    switch (i % 4) {
      case 0:
        return static_cast<unsigned>(static_cast<long long>(narrow_a) * narrow_b >> 32);
      case 1:
        return (a & 0xffffffff) * (b & 0xffffffff) >> 32;
      case 2:
        return static_cast<unsigned long long>(
            static_cast<__int128>(static_cast<long long>(a)) * static_cast<long long>(b) >> 64);
      default:
        return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
    }
  });
}

__global__ void small_products(const unsigned long long* in, unsigned* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= kCount) return;
  const auto a = static_cast<unsigned>(in[2 * i]), b = static_cast<unsigned>(in[2 * i + 1]);
  out[2 * i] = static_cast<unsigned>(__mul24(static_cast<int>(a), static_cast<int>(b)));
  out[2 * i + 1] = __umul24(a, b);
}

static long long signed_24(unsigned value) {
  const long long low = value & 0xffffff;
  return low < 0x800000 ? low : low - 0x1000000;
}

CASE(products_of_24_bits) {
  const std::vector<unsigned long long> values = operands(2);
  Buffer<unsigned long long> in(values);
  Buffer<unsigned> out(2 * kCount);
  small_products<<<4, 100>>>(in.ptr(), out.ptr());
  EXPECT_EACH(out, [&](std::size_t i) {
    const auto a = static_cast<unsigned>(values[i / 2 * 2]);
    const auto b = static_cast<unsigned>(values[i / 2 * 2 + 1]);
    if (i % 2 == 0) return static_cast<unsigned>(signed_24(a) * signed_24(b));
    return static_cast<unsigned>(static_cast<unsigned long long>(a & 0xffffff) * (b & 0xffffff));
  });
}

__global__ void averages(const unsigned long long* in, unsigned* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= kCount) return;
  const auto a = static_cast<unsigned>(in[2 * i]), b = static_cast<unsigned>(in[2 * i + 1]);
  const auto sa = static_cast<int>(a), sb = static_cast<int>(b);
  out[6 * i] = static_cast<unsigned>(__hadd(sa, sb));
  out[6 * i + 1] = static_cast<unsigned>(__rhadd(sa, sb));
  out[6 * i + 2] = __uhadd(a, b);
  out[6 * i + 3] = __urhadd(a, b);
  out[6 * i + 4] = __sad(sa, sb, 1000u);
  out[6 * i + 5] = __usad(a, b, 1000u);
}

CASE(averages_and_sums_of_differences) {
  const std::vector<unsigned long long> values = operands(3);
  Buffer<unsigned long long> in(values);
  Buffer<unsigned> out(6 * kCount);
  averages<<<4, 100>>>(in.ptr(), out.ptr());
  EXPECT_EACH(out, [&](std::size_t i) {
    const long long a = static_cast<unsigned>(values[i / 6 * 2]);
    const long long b = static_cast<unsigned>(values[i / 6 * 2 + 1]);
    const long long sa = static_cast<int>(a), sb = static_cast<int>(b);
    const long long want[6] = {(sa + sb) >> 1,   (sa + sb + 1) >> 1,       (a + b) >> 1,
                               (a + b + 1) >> 1, std::abs(sa - sb) + 1000, std::abs(a - b) + 1000};
    return static_cast<unsigned>(want[i % 6]);
  });
}

__global__ void dots(const unsigned* in, int* out) {
  const int i = threadIdx.x;
  const unsigned a = in[2 * i], b = in[2 * i + 1];
  const auto sa = static_cast<int>(a), sb = static_cast<int>(b);
  out[8 * i] = __dp4a(sa, sb, 100);
  out[8 * i + 1] = static_cast<int>(__dp4a(a, b, 100u));
  out[8 * i + 2] = __dp2a_lo(sa, sb, -7);
  out[8 * i + 3] = static_cast<int>(__dp2a_lo(a, b, 7u));
  out[8 * i + 4] = __dp2a_hi(sa, sb, -7);
  out[8 * i + 5] = static_cast<int>(__dp2a_hi(a, b, 7u));
  const char4 ca = make_char4(static_cast<signed char>(a), static_cast<signed char>(a >> 8),
                              static_cast<signed char>(a >> 16), static_cast<signed char>(a >> 24));
  const char4 cb = make_char4(static_cast<signed char>(b), static_cast<signed char>(b >> 8),
                              static_cast<signed char>(b >> 16), static_cast<signed char>(b >> 24));
  out[8 * i + 6] = __dp4a(ca, cb, 100);
  const short2 wide = make_short2(static_cast<short>(a), static_cast<short>(a >> 16));
  out[8 * i + 7] = __dp2a_lo(wide, cb, -7);
}

static long long part(unsigned word, int bits, int index, bool is_signed) {
  const long long raw = word >> (bits * index) & ((1u << bits) - 1);
  return is_signed && raw >> (bits - 1) != 0 ? raw - (1ll << bits) : raw;
}

CASE(dot_products_of_bytes) {
  std::vector<unsigned> values(512);
  conformance::Random random(4);
  for (unsigned& value : values) value = random.bits();
  values[0] = values[1] = 0x80808080u;
  values[2] = values[3] = 0xffffffffu;
  Buffer<unsigned> in(values);
  Buffer<int> out(8 * 256);
  dots<<<1, 256>>>(in.ptr(), out.ptr());
  EXPECT_EACH(out, [&](std::size_t at) {
    const unsigned a = values[at / 8 * 2], b = values[at / 8 * 2 + 1];
    const int form = static_cast<int>(at % 8);
    const bool is_signed = form != 1 && form != 3 && form != 5;
    const bool four = form == 0 || form == 1 || form == 6;
    const int high = form == 4 || form == 5 ? 2 : 0;
    long long sum = four ? 100 : is_signed ? -7 : 7;
    for (int k = 0; k < (four ? 4 : 2); ++k) {
      sum += part(a, four ? 8 : 16, k, is_signed) * part(b, 8, k + high, is_signed);
    }
    return static_cast<int>(sum);
  });
}

__global__ void video(const unsigned* in, unsigned* out) {
  const int i = threadIdx.x;
  const unsigned a = in[2 * i], b = in[2 * i + 1];
  unsigned* const to = out + 12 * i;
  to[0] = __vadd4(a, b);
  to[1] = __vsub4(a, b);
  to[2] = __vabsdiffu4(a, b);
  to[3] = __vmaxu4(a, b);
  to[4] = __vmins4(a, b);
  to[5] = __vcmpgtu4(a, b);
  to[6] = __vaddus4(a, b);
  to[7] = __vavgu4(a, b);
  to[8] = __vadd2(a, b);
  to[9] = __vmaxs2(a, b);
  to[10] = __vsadu4(a, b);
  to[11] = __vseteq2(a, b);
}

CASE(operations_on_packed_bytes_and_halfwords) {
  std::vector<unsigned> values(256);
  conformance::Random random(5);
  for (unsigned& value : values) value = random.bits();
  for (int i = 0; i < 40; i += 2) values[i + 1] = values[i] ^ (random.bits() & 0x00ff0001u);
  Buffer<unsigned> in(values), out(12 * 128);
  video<<<1, 128>>>(in.ptr(), out.ptr());
  EXPECT_EACH(out, [&](std::size_t at) {
    const unsigned a = values[at / 12 * 2], b = values[at / 12 * 2 + 1];
    const int form = static_cast<int>(at % 12);
    const int bits = form == 8 || form == 9 || form == 11 ? 16 : 8;
    unsigned result = 0, sum = 0;
    for (int k = 0; k < 32 / bits; ++k) {
      const bool is_signed = form == 4 || form == 9;
      const long long x = part(a, bits, k, is_signed), y = part(b, bits, k, is_signed);
      const long long most = (1ll << bits) - 1;
      const long long want[12] = {x + y,
                                  x - y,
                                  std::abs(x - y),
                                  std::max(x, y),
                                  std::min(x, y),
                                  x > y ? most : 0,
                                  std::min(x + y, most),
                                  (x + y + 1) / 2,
                                  x + y,
                                  std::max(x, y),
                                  0,
                                  x == y ? 1 : 0};
      result |= static_cast<unsigned>(want[form] & most) << (bits * k);
      sum += static_cast<unsigned>(std::abs(x - y));
    }
    return form == 10 ? sum : result;
  });
}

__global__ void overloads(long long* out) {
  const int t = threadIdx.x;
  const int a = t - 16, b = 7;
  const long long wide = (t - 16) * (1ll << 40);
  out[9 * t] = min(a, b);
  out[9 * t + 1] = max(a, b);
  out[9 * t + 2] = abs(a);
  out[9 * t + 3] = min(wide, 5ll);
  out[9 * t + 4] = max(wide, 5ll);
  out[9 * t + 5] = llabs(wide);
  out[9 * t + 6] = static_cast<long long>(min(static_cast<unsigned>(t), 20u));
  out[9 * t + 7] = a / 5 * 100 + a % 5;
  out[9 * t + 8] = static_cast<long long>(max(static_cast<unsigned long long>(t), 3ull));
}

__global__ void mixed_overloads(long long* out) {
  const long t = threadIdx.x;
  const unsigned long seven = 7;
  out[4 * t] = static_cast<long long>(min(t, seven));
  out[4 * t + 1] = static_cast<long long>(max(seven, t));
  out[4 * t + 2] = static_cast<long long>(min(static_cast<int>(t), 9U));
  out[4 * t + 3] = static_cast<long long>(max(static_cast<long long>(t), 3ULL));
}

CASE(min_and_max_of_signed_and_unsigned) {
  Buffer<long long> out(4 * 32);
  mixed_overloads<<<1, 32>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t i) {
    const long long t = static_cast<long long>(i / 4);
    const long long want[] = {t < 7 ? t : 7, t > 7 ? t : 7, t < 9 ? t : 9, t > 3 ? t : 3};
    return want[i % 4];
  });
}

CASE(min_max_abs_and_division) {
  Buffer<long long> out(9 * 32);
  overloads<<<1, 32>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t at) {
    const long long t = static_cast<long long>(at / 9), a = t - 16;
    const long long wide = a * (1ll << 40);
    const long long quotient = a < 0 ? -(-a / 5) : a / 5;
    const long long want[9] = {a < 7 ? a : 7,       a > 7 ? a : 7,
                               a < 0 ? -a : a,      wide < 5 ? wide : 5,
                               wide > 5 ? wide : 5, wide < 0 ? -wide : wide,
                               t < 20 ? t : 20,     quotient * 100 + (a - quotient * 5),
                               t > 3 ? t : 3};
    return want[at % 9];
  });
}

__global__ void fused_extremes(int* out) {
  const int t = threadIdx.x, a = t * 7 % 13 - 6, b = t * 5 % 11 - 5, c = t % 9 - 4;
  out[6 * t] = __vimax3_s32(a, b, c);
  out[6 * t + 1] = __vimin3_s32(a, b, c);
  out[6 * t + 2] = __viaddmax_s32(a, b, c);
  out[6 * t + 3] = __viaddmin_s32(a, b, c);
  out[6 * t + 4] = __vimax_s32_relu(a, b);
  out[6 * t + 5] = __viaddmax_s32_relu(a, b, c);
}

CASE(dpx_three_way_extremes) {
  Buffer<int> out(6 * 64);
  fused_extremes<<<1, 64>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t at) {
    const int t = static_cast<int>(at / 6);
    const int a = t * 7 % 13 - 6, b = t * 5 % 11 - 5, c = t % 9 - 4;
    const int want[6] = {std::max({a, b, c}), std::min({a, b, c}), std::max(a + b, c),
                         std::min(a + b, c),  std::max({a, b, 0}), std::max({a + b, c, 0})};
    return want[at % 6];
  });
}
