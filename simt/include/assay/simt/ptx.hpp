#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "assay/simt/all.hpp"

// What src/simt/ptx_instructions.cpp makes of inline PTX: a function for each instruction, with the
// instruction's type as T. Registers are unsigned integers, float, double or bool.
namespace assay::simt::ptx {

using b8 = std::uint8_t;
using b16 = std::uint16_t;
using b32 = std::uint32_t;
using b64 = std::uint64_t;
using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s8 = std::int8_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;
using f16 = __half;
using bf16 = __nv_bfloat16;
using f16x2 = __half2;
using bf16x2 = __nv_bfloat162;
using f32 = float;
using f64 = double;
using pred = bool;

/// The same bits as another type; between numbers of different sizes, the same number.
template <class T, class V>
T as(const V& value) {
  if constexpr (std::is_pointer_v<V>) {
    return static_cast<T>(reinterpret_cast<std::uintptr_t>(value));
  } else if constexpr (std::is_same_v<T, V>) {
    return value;
  } else if constexpr (std::is_same_v<T, bool> || std::is_same_v<V, bool> ||
                       (std::is_integral_v<T> && std::is_integral_v<V>) ||
                       (std::is_floating_point_v<T> && std::is_floating_point_v<V>)) {
    return static_cast<T>(value);
  } else {
    T result{};
    std::memcpy(static_cast<void*>(&result), &value, sizeof(T) < sizeof(V) ? sizeof(T) : sizeof(V));
    return result;
  }
}

/// Gives a register, or a variable of the author's, what an instruction computed.
template <class D, class V>
void set(D&& to, const V& value) {
  to = as<std::remove_cvref_t<D>>(value);
}

// --- arithmetic: integers wrap ---------------------------------------------------------------
template <class T>
using Wrapping = typename std::conditional_t<std::is_integral_v<T> && !std::is_same_v<T, bool>,
                                             std::make_unsigned<T>, std::type_identity<T>>::type;
#define ASSAY_PTX_BINARY(name, expression)                  \
  template <class T, class A, class B>                      \
  T name(const A& first, const B& second) {                 \
    const auto a = static_cast<Wrapping<T>>(as<T>(first));  \
    const auto b = static_cast<Wrapping<T>>(as<T>(second)); \
    return static_cast<T>(expression);                      \
  }
ASSAY_PTX_BINARY(add, a + b)
ASSAY_PTX_BINARY(sub, a - b)
ASSAY_PTX_BINARY(mul, a* b)
ASSAY_PTX_BINARY(mul_lo, a* b)
ASSAY_PTX_BINARY(and_, a& b)
ASSAY_PTX_BINARY(or_, a | b)
ASSAY_PTX_BINARY(xor_, a ^ b)
#undef ASSAY_PTX_BINARY
#define ASSAY_PTX_BINARY(name, expression)     \
  template <class T, class A, class B>         \
  auto name(const A& first, const B& second) { \
    const T a = as<T>(first);                  \
    const T b = as<T>(second);                 \
    return expression;                         \
  }
ASSAY_PTX_BINARY(div, static_cast<T>(a / b))
ASSAY_PTX_BINARY(rem, static_cast<T>(a % b))
ASSAY_PTX_BINARY(cmp_eq, a == b)
ASSAY_PTX_BINARY(cmp_ne, a != b)
ASSAY_PTX_BINARY(cmp_lt, a < b)
ASSAY_PTX_BINARY(cmp_le, a <= b)
ASSAY_PTX_BINARY(cmp_gt, a > b)
ASSAY_PTX_BINARY(cmp_ge, a >= b)
#undef ASSAY_PTX_BINARY

template <class T>
concept SmallFloat = std::is_same_v<T, f16> || std::is_same_v<T, bf16>;
template <class T>
concept SmallPair = std::is_same_v<T, f16x2> || std::is_same_v<T, bf16x2>;

template <class T, class A, class B>
T min(const A& a, const B& b) {
  if constexpr (SmallPair<T>) return __hmin2(as<T>(a), as<T>(b));
  if constexpr (SmallFloat<T>) return __hmin(as<T>(a), as<T>(b));
  if constexpr (std::is_arithmetic_v<T>) return as<T>(::min(as<T>(a), as<T>(b)));
}
template <class T, class A, class B>
T max(const A& a, const B& b) {
  if constexpr (SmallPair<T>) return __hmax2(as<T>(a), as<T>(b));
  if constexpr (SmallFloat<T>) return __hmax(as<T>(a), as<T>(b));
  if constexpr (std::is_arithmetic_v<T>) return as<T>(::max(as<T>(a), as<T>(b)));
}
template <class T, class A, class B, class C>
T fma(const A& a, const B& b, const C& c) {
  if constexpr (SmallPair<T>) return __hfma2(as<T>(a), as<T>(b), as<T>(c));
  if constexpr (SmallFloat<T>) return __hfma(as<T>(a), as<T>(b), as<T>(c));
  if constexpr (std::is_floating_point_v<T>) return std::fma(as<T>(a), as<T>(b), as<T>(c));
}
template <class T>
using Wide = std::conditional_t<std::is_signed_v<T>, s64, u64>;
template <class T, class A, class B>
auto mul_wide(const A& a, const B& b) {
  using W = std::conditional_t<sizeof(T) == 2, std::conditional_t<std::is_signed_v<T>, s32, u32>,
                               Wide<T>>;
  return static_cast<W>(static_cast<W>(as<T>(a)) * static_cast<W>(as<T>(b)));
}
template <class T, class A, class B>
T mul_hi(const A& a, const B& b) {
  if constexpr (sizeof(T) == 4) {
    return static_cast<T>(static_cast<Wide<T>>(as<T>(a)) * static_cast<Wide<T>>(as<T>(b)) >> 32);
  } else if constexpr (std::is_signed_v<T>) {
    return __mul64hi(as<T>(a), as<T>(b));
  } else {
    return __umul64hi(as<T>(a), as<T>(b));
  }
}
template <class T, class A, class B, class C>
T mad_lo(const A& a, const B& b, const C& c) {
  return add<T>(mul_lo<T>(a, b), c);
}
template <class T, class A, class B, class C>
T mad_hi(const A& a, const B& b, const C& c) {
  return add<T>(mul_hi<T>(a, b), c);
}
template <class T, class A, class B, class C>
auto mad_wide(const A& a, const B& b, const C& c) {
  using W = decltype(mul_wide<T>(a, b));
  return add<W>(mul_wide<T>(a, b), c);
}

#define ASSAY_PTX_UNARY(name, expression) \
  template <class T, class A>             \
  auto name(const A& operand) {           \
    const T a = as<T>(operand);           \
    return expression;                    \
  }
ASSAY_PTX_UNARY(mov, a)
ASSAY_PTX_UNARY(not_, static_cast<T>(std::is_same_v<T, bool> ? !a : ~a))
ASSAY_PTX_UNARY(popc, static_cast<u32>(std::popcount(a)))
ASSAY_PTX_UNARY(clz, static_cast<u32>(std::countl_zero(a)))
ASSAY_PTX_UNARY(ex2, T(std::exp2(float(a))))
ASSAY_PTX_UNARY(lg2, std::log2(a))
ASSAY_PTX_UNARY(rcp, static_cast<T>(1 / a))
ASSAY_PTX_UNARY(rsqrt, static_cast<T>(1.0 / std::sqrt(double(a))))
ASSAY_PTX_UNARY(sqrt, std::sqrt(a))
ASSAY_PTX_UNARY(sin, std::sin(a))
ASSAY_PTX_UNARY(cos, std::cos(a))
ASSAY_PTX_UNARY(tanh, T(std::tanh(float(a))))
#undef ASSAY_PTX_UNARY
template <class T, class A>
T neg(const A& a) {
  if constexpr (std::is_integral_v<T>)
    return sub<T>(0, a);
  else
    return -as<T>(a);
}
template <class T, class A>
T abs(const A& a) {
  if constexpr (SmallPair<T>)
    return __habs2(as<T>(a));
  else if constexpr (SmallFloat<T>)
    return __habs(as<T>(a));
  else if constexpr (std::is_integral_v<T>)
    return as<T>(a) < 0 ? neg<T>(a) : as<T>(a);
  else
    return std::fabs(as<T>(a));
}
template <class T, class A>
T brev(const A& a) {
  if constexpr (sizeof(T) == 8)
    return __brevll(as<T>(a));
  else
    return __brev(as<T>(a));
}
template <class T, class A, class B, class P>
T selp(const A& a, const B& b, const P& predicate) {
  return predicate ? as<T>(a) : as<T>(b);
}
/// A shift by the width or more leaves nothing but the sign.
template <class T, class A, class B>
T shl(const A& a, const B& by) {
  return as<u32>(by) >= sizeof(T) * 8 ? T{} : static_cast<T>(as<T>(a) << as<u32>(by));
}
template <class T, class A, class B>
T shr(const A& a, const B& by) {
  constexpr u32 kLast = sizeof(T) * 8 - 1;
  if (as<u32>(by) > kLast && std::is_unsigned_v<T>) return T{};
  return static_cast<T>(as<T>(a) >> (as<u32>(by) > kLast ? kLast : as<u32>(by)));
}
template <class A, class B, class C>
u32 prmt(const A& a, const B& b, const C& selector) {
  return __byte_perm(as<u32>(a), as<u32>(b), as<u32>(selector));
}
template <class A, class B, class C>
u32 lop3(const A& first, const B& second, const C& third, unsigned table) {
  const u32 a = as<u32>(first), b = as<u32>(second), c = as<u32>(third);
  u32 result = 0;
  for (unsigned row = 0; row < 8; ++row) {
    if ((table >> row & 1U) == 0) continue;
    result |= (row & 4U ? a : ~a) & (row & 2U ? b : ~b) & (row & 1U ? c : ~c);
  }
  return result;
}
template <class A, class B, class C>
u32 shf_l_wrap(const A& low, const B& high, const C& by) {
  return __funnelshift_l(as<u32>(low), as<u32>(high), as<u32>(by));
}
template <class A, class B, class C>
u32 shf_r_wrap(const A& low, const B& high, const C& by) {
  return __funnelshift_r(as<u32>(low), as<u32>(high), as<u32>(by));
}
template <class A, class B, class C>
u32 shf_l_clamp(const A& low, const B& high, const C& by) {
  return __funnelshift_lc(as<u32>(low), as<u32>(high), as<u32>(by));
}
template <class A, class B, class C>
u32 shf_r_clamp(const A& low, const B& high, const C& by) {
  return __funnelshift_rc(as<u32>(low), as<u32>(high), as<u32>(by));
}
template <class T, class A, class B, class C>
T bfe(const A& value, const B& position, const C& length) {
  constexpr unsigned kBits = sizeof(T) * 8;
  const unsigned at = as<u32>(position) & 0xffU;
  const unsigned count = as<u32>(length) & 0xffU;
  const T a = as<T>(value);
  if (count == 0) return T{};
  // Beyond the top stand zeros, or copies of the sign.
  const unsigned top = at + count - 1 < kBits - 1 ? at + count - 1 : kBits - 1;
  const T low = shr<T>(a, at);
  if (count >= kBits) return low;
  const auto mask = static_cast<T>((std::make_unsigned_t<T>{1} << count) - 1);
  const bool negative = std::is_signed_v<T> && (a >> top & 1) != 0;
  return static_cast<T>((low & mask) | (negative ? ~mask : T{}));
}
template <class T, class A, class B, class C, class D>
T bfi(const A& value, const B& into, const C& position, const D& length) {
  constexpr unsigned kBits = sizeof(T) * 8;
  const unsigned at = as<u32>(position) & 0xffU;
  const unsigned count = as<u32>(length) & 0xffU;
  if (count == 0 || at >= kBits) return as<T>(into);
  const T ones = count >= kBits ? static_cast<T>(~T{}) : static_cast<T>((T{1} << count) - 1);
  const T mask = shl<T>(ones, at);
  return static_cast<T>((as<T>(into) & ~mask) | (shl<T>(value, at) & mask));
}

// --- conversion ------------------------------------------------------------------------------
enum class Round { none, rn, rz, rni, rzi, rmi, rpi };
template <class D, class S, Round R, class A>
D cvt(const A& operand) {
  const S a = as<S>(operand);
  if constexpr (std::is_integral_v<D> && !std::is_integral_v<S>) {
    const double value = double(float(a)) == double(a) ? double(float(a)) : double(a);
    if constexpr (R == Round::rzi) return to_integer<D>(std::trunc(value));
    if constexpr (R == Round::rmi) return to_integer<D>(std::floor(value));
    if constexpr (R == Round::rpi) return to_integer<D>(std::ceil(value));
    return to_integer<D>(std::nearbyint(value));
  } else if constexpr (std::is_same_v<D, S> && R == Round::rni) {
    return D(std::nearbyint(a));
  } else if constexpr (std::is_same_v<D, S> && R == Round::rzi) {
    return D(std::trunc(a));
  } else if constexpr (std::is_same_v<D, S> && R == Round::rmi) {
    return D(std::floor(a));
  } else if constexpr (std::is_same_v<D, S> && R == Round::rpi) {
    return D(std::ceil(a));
  } else if constexpr (SmallFloat<S>) {
    return D(float(a));
  } else {
    return D(a);
  }
}
/// Two floats as a pair; the first one becomes the upper half.
template <class T, class A, class B>
T cvt_pair(const A& high, const B& low) {
  return T(decltype(T::x)(as<f32>(low)), decltype(T::x)(as<f32>(high)));
}
template <class A, class B>
u16 cvt_e4m3x2(const A& high, const B& low) {
  return __nv_cvt_float2_to_fp8x2({as<f32>(low), as<f32>(high)}, __NV_SATFINITE, __NV_E4M3);
}
template <class A, class B>
u16 cvt_e5m2x2(const A& high, const B& low) {
  return __nv_cvt_float2_to_fp8x2({as<f32>(low), as<f32>(high)}, __NV_SATFINITE, __NV_E5M2);
}
/// To the nearest of 10 bits of fraction; a tie goes away from zero.
template <class A>
u32 cvt_tf32(const A& a) {
  return (as<u32>(as<f32>(a)) + 0x1000U) & 0xffffe000U;
}

/// Registers side by side in a longer one, the first one lowest; and back.
template <class... A>
u64 pack(const A&... parts) {
  u64 word = 0;
  unsigned at = 0;
  ((word |= static_cast<u64>(to_word(parts)) << at, at += sizeof(A) * 8), ...);
  return word;
}
template <class T, class... D>
void unpack(const T& word, D&... parts) {
  u64 rest = to_word(word);
  ((set(parts,
        as<std::conditional_t<sizeof(D) == 8, u64, std::conditional_t<sizeof(D) == 4, u32, u16>>>(
            rest)),
    rest = sizeof(D) == 8 ? 0 : rest >> (sizeof(D) * 8 % 64)),
   ...);
}

// --- memory ----------------------------------------------------------------------------------
template <class A>
char* global(const A& address, s64 offset = 0) {
  return reinterpret_cast<char*>(as<u64>(address) + static_cast<u64>(offset));
}
template <class A>
char* shared(const A& address, s64 offset = 0) {
  return static_cast<char*>(__cvta_shared_to_generic(0)) + as<s32>(address) + offset;
}
template <class T, class... D>
void load(const char* from, D&... to) {
  const T* next = reinterpret_cast<const T*>(from);
  (set(to, *next++), ...);
}
template <class T, class... A>
void store(char* to, const A&... values) {
  T* next = reinterpret_cast<T*>(to);
  ((*next++ = as<T>(values)), ...);
}
template <class N>
void cp_async(char* to, const char* from, int bytes, const N& source_bytes) {
  const int copied = as<int>(source_bytes) < bytes ? as<int>(source_bytes) : bytes;
  std::memcpy(to, from, static_cast<std::size_t>(copied));
  std::memset(to + copied, 0, static_cast<std::size_t>(bytes - copied));
}
inline void cp_async(char* to, const char* from, int bytes) {
  cp_async(to, from, bytes, bytes);
}
#define ASSAY_PTX_ATOMIC(name, function)                          \
  template <class T, class A>                                     \
  T atom_##name(char* address, const A& value) {                  \
    return function(reinterpret_cast<T*>(address), as<T>(value)); \
  }
ASSAY_PTX_ATOMIC(min, atomicMin)
ASSAY_PTX_ATOMIC(max, atomicMax)
ASSAY_PTX_ATOMIC(exch, atomicExch)
ASSAY_PTX_ATOMIC(and, atomicAnd)
ASSAY_PTX_ATOMIC(or, atomicOr)
ASSAY_PTX_ATOMIC(xor, atomicXor)
ASSAY_PTX_ATOMIC(inc, atomicInc)
ASSAY_PTX_ATOMIC(dec, atomicDec)
#undef ASSAY_PTX_ATOMIC
template <class T, class A>
auto atom_add(char* address, const A& value) {
  using U = std::conditional_t<std::is_integral_v<T> && sizeof(T) == 8, unsigned long long, T>;
  return as<T>(atomicAdd(reinterpret_cast<U*>(address), as<U>(as<T>(value))));
}
template <class T, class A, class B>
T atom_cas(char* address, const A& expected, const B& value) {
  using U = std::conditional_t<sizeof(T) == 8, unsigned long long,
                               std::conditional_t<sizeof(T) == 2, unsigned short, unsigned>>;
  return as<T>(atomicCAS(reinterpret_cast<U*>(address), as<U>(expected), as<U>(value)));
}

// --- what a thread knows about itself ----------------------------------------------------------
inline u32 lanemask_lt() {
  return (1U << lane_id()) - 1;
}
inline u32 lanemask_eq() {
  return 1U << lane_id();
}

}  // namespace assay::simt::ptx

#include "assay/simt/ptx_warp.hpp"
