#pragma once

#include <bit>
#include <cstdint>

#include "assay/simt/vector_types.hpp"

// CUDA's intrinsics on integers, one at a time; packed ones are in packed_integers.hpp.
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

/// The position of the nth set bit of `mask`. It counts from `base` upwards for n > 0 and downwards
/// for n < 0. All ones if there is no such bit.
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
/// Four bytes chosen from the eight of y:x by the nibbles of s. A nibble's top bit spreads the sign
/// of the chosen byte.
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
