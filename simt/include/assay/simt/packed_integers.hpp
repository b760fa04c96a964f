#pragma once

#include <cstdint>
#include <type_traits>

// Arithmetic on two halfwords or four bytes packed in a word, and DPX's three-way extremes.
namespace assay::simt {

/// Applies `op` to each lane of `Bits` bits, as T, and packs the low bits of what it gives.
template <class T, class Op>
constexpr unsigned each_lane(unsigned a, unsigned b, Op op) {
  constexpr unsigned kBits = 8 * sizeof(T);
  constexpr unsigned kMask = (1U << kBits) - 1;
  unsigned result = 0;
  for (unsigned at = 0; at < 32; at += kBits) {
    const long long x = static_cast<T>(a >> at);
    const long long y = static_cast<T>(b >> at);
    result |= (static_cast<unsigned>(op(x, y)) & kMask) << at;
  }
  return result;
}

template <class T>
constexpr long long saturate_lane(long long x) {
  constexpr long long kLow = std::is_signed_v<T> ? -(1LL << (8 * sizeof(T) - 1)) : 0;
  constexpr long long kHigh = kLow + (1LL << (8 * sizeof(T))) - 1;
  return x < kLow ? kLow : x > kHigh ? kHigh : x;
}

template <class T>
constexpr unsigned sum_of_differences(unsigned a, unsigned b) {
  unsigned sum = 0;
  each_lane<T>(a, b, [&](long long x, long long y) {
    sum += static_cast<unsigned>(x < y ? y - x : x - y);
    return 0;
  });
  return sum;
}

using Long = long long;

}  // namespace assay::simt

#define ASSAY_SIMT_LANES(name, T, expression)                                 \
  constexpr unsigned name(unsigned a, unsigned b) {                           \
    return assay::simt::each_lane<T>(                                         \
        a, b, [](assay::simt::Long x, [[maybe_unused]] assay::simt::Long y) { \
          return assay::simt::Long(expression);                               \
        });                                                                   \
  }
#define ASSAY_SIMT_LANE(name, T, expression)                                  \
  constexpr unsigned name(unsigned a) {                                       \
    return assay::simt::each_lane<T>(                                         \
        a, 0, [](assay::simt::Long x, [[maybe_unused]] assay::simt::Long y) { \
          return assay::simt::Long(expression);                               \
        });                                                                   \
  }
#define ASSAY_SIMT_COMPARE(n, name, T, symbol)              \
  ASSAY_SIMT_LANES(__vcmp##name##n, T, x symbol y ? -1 : 0) \
  ASSAY_SIMT_LANES(__vset##name##n, T, x symbol y ? 1 : 0)

#define ASSAY_SIMT_PACKED(n, S, U)                                               \
  ASSAY_SIMT_LANES(__vadd##n, U, x + y)                                          \
  ASSAY_SIMT_LANES(__vsub##n, U, x - y)                                          \
  ASSAY_SIMT_LANES(__vaddss##n, S, assay::simt::saturate_lane<S>(x + y))         \
  ASSAY_SIMT_LANES(__vaddus##n, U, assay::simt::saturate_lane<U>(x + y))         \
  ASSAY_SIMT_LANES(__vsubss##n, S, assay::simt::saturate_lane<S>(x - y))         \
  ASSAY_SIMT_LANES(__vsubus##n, U, assay::simt::saturate_lane<U>(x - y))         \
  ASSAY_SIMT_LANES(__vabsdiffs##n, S, x < y ? y - x : x - y)                     \
  ASSAY_SIMT_LANES(__vabsdiffu##n, U, x < y ? y - x : x - y)                     \
  ASSAY_SIMT_LANES(__vavgs##n, S, (x + y + (x + y >= 0 ? 1 : 0)) >> 1)           \
  ASSAY_SIMT_LANES(__vavgu##n, U, (x + y + 1) >> 1)                              \
  ASSAY_SIMT_LANES(__vhaddu##n, U, (x + y) >> 1)                                 \
  ASSAY_SIMT_LANES(__vmaxs##n, S, x < y ? y : x)                                 \
  ASSAY_SIMT_LANES(__vmaxu##n, U, x < y ? y : x)                                 \
  ASSAY_SIMT_LANES(__vmins##n, S, y < x ? y : x)                                 \
  ASSAY_SIMT_LANES(__vminu##n, U, y < x ? y : x)                                 \
  ASSAY_SIMT_LANE(__vabs##n, S, x < 0 ? -x : x)                                  \
  ASSAY_SIMT_LANE(__vabsss##n, S, assay::simt::saturate_lane<S>(x < 0 ? -x : x)) \
  ASSAY_SIMT_LANE(__vneg##n, S, -x)                                              \
  ASSAY_SIMT_LANE(__vnegss##n, S, assay::simt::saturate_lane<S>(-x))             \
  ASSAY_SIMT_COMPARE(n, eq, U, ==)                                               \
  ASSAY_SIMT_COMPARE(n, ne, U, !=)                                               \
  ASSAY_SIMT_COMPARE(n, ges, S, >=)                                              \
  ASSAY_SIMT_COMPARE(n, geu, U, >=)                                              \
  ASSAY_SIMT_COMPARE(n, gts, S, >)                                               \
  ASSAY_SIMT_COMPARE(n, gtu, U, >)                                               \
  ASSAY_SIMT_COMPARE(n, les, S, <=)                                              \
  ASSAY_SIMT_COMPARE(n, leu, U, <=)                                              \
  ASSAY_SIMT_COMPARE(n, lts, S, <)                                               \
  ASSAY_SIMT_COMPARE(n, ltu, U, <)                                               \
  constexpr unsigned __vsads##n(unsigned a, unsigned b) {                        \
    return assay::simt::sum_of_differences<S>(a, b);                             \
  }                                                                              \
  constexpr unsigned __vsadu##n(unsigned a, unsigned b) {                        \
    return assay::simt::sum_of_differences<U>(a, b);                             \
  }
ASSAY_SIMT_PACKED(2, std::int16_t, std::uint16_t)
ASSAY_SIMT_PACKED(4, std::int8_t, std::uint8_t)
#undef ASSAY_SIMT_PACKED
#undef ASSAY_SIMT_COMPARE
#undef ASSAY_SIMT_LANE
#undef ASSAY_SIMT_LANES

// DPX. Sums wrap as they do on hardware.
#define ASSAY_SIMT_DPX(suffix, T)                                                      \
  constexpr T __vimax3_##suffix(T a, T b, T c) {                                       \
    return a < b ? (b < c ? c : b) : (a < c ? c : a);                                  \
  }                                                                                    \
  constexpr T __vimin3_##suffix(T a, T b, T c) {                                       \
    return b < a ? (c < b ? c : b) : (c < a ? c : a);                                  \
  }                                                                                    \
  constexpr T __viaddmax_##suffix(T a, T b, T c) {                                     \
    const T sum = static_cast<T>(static_cast<unsigned>(a) + static_cast<unsigned>(b)); \
    return sum < c ? c : sum;                                                          \
  }                                                                                    \
  constexpr T __viaddmin_##suffix(T a, T b, T c) {                                     \
    const T sum = static_cast<T>(static_cast<unsigned>(a) + static_cast<unsigned>(b)); \
    return c < sum ? c : sum;                                                          \
  }                                                                                    \
  inline T __vibmax_##suffix(T a, T b, bool* first) {                                  \
    return (*first = a >= b) ? a : b;                                                  \
  }                                                                                    \
  inline T __vibmin_##suffix(T a, T b, bool* first) {                                  \
    return (*first = a <= b) ? a : b;                                                  \
  }
ASSAY_SIMT_DPX(s32, int)
ASSAY_SIMT_DPX(u32, unsigned)
#undef ASSAY_SIMT_DPX
constexpr int __vimax_s32_relu(int a, int b) {
  return __vimax3_s32(a, b, 0);
}
constexpr int __vimin_s32_relu(int a, int b) {
  const int least = a < b ? a : b;
  return least < 0 ? 0 : least;
}
constexpr int __vimax3_s32_relu(int a, int b, int c) {
  return __vimax_s32_relu(__vimax3_s32(a, b, c), 0);
}
constexpr int __vimin3_s32_relu(int a, int b, int c) {
  const int least = __vimin3_s32(a, b, c);
  return least < 0 ? 0 : least;
}
constexpr int __viaddmax_s32_relu(int a, int b, int c) {
  return __vimax_s32_relu(__viaddmax_s32(a, b, c), 0);
}
constexpr int __viaddmin_s32_relu(int a, int b, int c) {
  const int least = __viaddmin_s32(a, b, c);
  return least < 0 ? 0 : least;
}
#define ASSAY_SIMT_DPX(suffix, maximum, minimum)                               \
  constexpr unsigned __vimax3_##suffix(unsigned a, unsigned b, unsigned c) {   \
    return maximum(maximum(a, b), c);                                          \
  }                                                                            \
  constexpr unsigned __vimin3_##suffix(unsigned a, unsigned b, unsigned c) {   \
    return minimum(minimum(a, b), c);                                          \
  }                                                                            \
  constexpr unsigned __viaddmax_##suffix(unsigned a, unsigned b, unsigned c) { \
    return maximum(__vadd2(a, b), c);                                          \
  }                                                                            \
  constexpr unsigned __viaddmin_##suffix(unsigned a, unsigned b, unsigned c) { \
    return minimum(__vadd2(a, b), c);                                          \
  }
ASSAY_SIMT_DPX(s16x2, __vmaxs2, __vmins2)
ASSAY_SIMT_DPX(u16x2, __vmaxu2, __vminu2)
#undef ASSAY_SIMT_DPX
constexpr unsigned __vimax_s16x2_relu(unsigned a, unsigned b) {
  return __vimax3_s16x2(a, b, 0);
}
constexpr unsigned __vimin_s16x2_relu(unsigned a, unsigned b) {
  return __vmaxs2(__vmins2(a, b), 0);
}
constexpr unsigned __viaddmax_s16x2_relu(unsigned a, unsigned b, unsigned c) {
  return __vmaxs2(__viaddmax_s16x2(a, b, c), 0);
}
constexpr unsigned __viaddmin_s16x2_relu(unsigned a, unsigned b, unsigned c) {
  return __vmaxs2(__viaddmin_s16x2(a, b, c), 0);
}
