#pragma once

#include <array>

#include "assay/simt/ptx.hpp"
#include "assay/simt/together.hpp"

// Instructions of whole warps: shuffles, and the matrix products of tensor cores.
namespace assay::simt::ptx {

// The last operand but one holds the lanes of a segment: width 32 - (c >> 8).
#define ASSAY_PTX_SHUFFLE(name, function)                                \
  template <class A, class B, class C, class M>                          \
  u32 shfl_##name(const A& a, const B& b, const C& c, const M& mask,     \
                  unsigned line = __builtin_LINE()) {                    \
    const auto width = static_cast<int>(32 - (as<u32>(c) >> 8 & 31U));   \
    return function(as<u32>(mask), as<u32>(a), as<u32>(b), width, line); \
  }
ASSAY_PTX_SHUFFLE(bfly, __shfl_xor_sync)
ASSAY_PTX_SHUFFLE(down, __shfl_down_sync)
ASSAY_PTX_SHUFFLE(up, __shfl_up_sync)
ASSAY_PTX_SHUFFLE(idx, __shfl_sync)
#undef ASSAY_PTX_SHUFFLE

/// The bits of some registers.
template <class... A>
std::array<u64, sizeof...(A)> words(const A&... registers) {
  return {to_word(registers)...};
}
template <std::size_t N, class... D>
void spread(const std::array<u64, N>& words, D&... registers) {
  static_assert(N == sizeof...(D), "as many registers as the instruction fills");
  const u64* next = words.data();
  ((set(registers, as<std::conditional_t<sizeof(D) == 8, u64, u32>>(*next++))), ...);
}

/// Where part `part` of register `r` lies, which holds `Parts` neighbours along the inner side.
template <unsigned Parts>
struct Factor {
  static unsigned outer(unsigned lane, unsigned r, unsigned rows) {
    return lane / 4 + (rows == 16 ? r % 2 * 8 : 0);
  }
  static unsigned inner(unsigned lane, unsigned r, unsigned part, unsigned rows) {
    return (rows == 16 ? r / 2 : r) * 4 * Parts + lane % 4 * Parts + part;
  }
};

template <class T>
constexpr unsigned kParts = sizeof(T) >= 4 ? 1 : 4 / sizeof(T);

struct tf32 {
  u32 bits;
};
struct e4m3 {
  u8 bits;
};
struct e5m2 {
  u8 bits;
};

/// A part of a register as the multiplier sees it.
template <class Sum, class T>
Sum part_of(u64 word, unsigned part) {
  const auto bits = word >> (sizeof(T) < 4 ? part * sizeof(T) * 8 : 0);
  if constexpr (std::is_same_v<T, tf32>) {
    return as<f32>(static_cast<u32>(bits) & 0xffffe000U);
  } else if constexpr (std::is_same_v<T, e4m3>) {
    return fp8_to_float(static_cast<u8>(bits), __NV_E4M3);
  } else if constexpr (std::is_same_v<T, e5m2>) {
    return fp8_to_float(static_cast<u8>(bits), __NV_E5M2);
  } else if constexpr (SmallFloat<T>) {
    return float(T::from_bits(static_cast<u16>(bits)));
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<Sum>(static_cast<T>(bits));
  } else {
    return from_word<T>(bits);
  }
}

template <std::size_t NA, std::size_t NB, std::size_t NC>
struct Matrices {
  std::array<u64, NA> a;
  std::array<u64, NB> b;
  std::array<u64, NC> c;  // the sums; then the result
};

template <int M, int K, class TA, class TB, class TC, class All>
void multiply(All* lanes) {
  using Sum = std::conditional_t<SmallFloat<TC>, float, TC>;
  constexpr unsigned kOf = SmallFloat<TC> ? 2 : 1;  // sums in a register
  constexpr unsigned kA = kParts<TA>, kB = kParts<TB>;
  Sum a[M][K];
  Sum b[K][8];
  for (unsigned lane = 0; lane < 32; ++lane) {
    const All& of = lanes[lane];
    for (unsigned r = 0; r < of.a.size(); ++r) {
      for (unsigned p = 0; p < kA; ++p) {
        a[Factor<kA>::outer(lane, r, M)][Factor<kA>::inner(lane, r, p, M)] =
            part_of<Sum, TA>(of.a[r], p);
      }
    }
    for (unsigned r = 0; r < of.b.size(); ++r) {
      for (unsigned p = 0; p < kB; ++p) {
        b[Factor<kB>::inner(lane, r, p, 8)][lane / 4] = part_of<Sum, TB>(of.b[r], p);
      }
    }
  }
  for (unsigned lane = 0; lane < 32; ++lane) {
    All& of = lanes[lane];
    for (unsigned r = 0; r < of.c.size(); ++r) {
      u64 word = 0;
      for (unsigned p = 0; p < kOf; ++p) {
        const unsigned row = lane / 4 + (kOf == 2 ? r : r / 2) * 8;
        const unsigned column = lane % 4 * 2 + (kOf == 2 ? p : r % 2);
        Sum sum = part_of<Sum, TC>(of.c[r], p);
        for (unsigned k = 0; k < K; ++k) sum += a[row][k] * b[k][column];
        word |= to_word(TC(sum)) << (p * 16);
      }
      of.c[r] = word;
    }
  }
}

/// D = A * B + C for 8 columns, with the fragments that PTX describes.
template <int M, int K, class TA, class TB, class TC, std::size_t NA, std::size_t NB,
          std::size_t NC>
std::array<u64, NC> mma(const std::array<u64, NA>& a, const std::array<u64, NB>& b,
                        const std::array<u64, NC>& c, unsigned line = __builtin_LINE()) {
  static_assert(NA * 32 * kParts<TA> == M * K && NB * 32 * kParts<TB> == K * 8 &&
                    NC * 32 * (SmallFloat<TC> ? 2 : 1) == M * 8,
                "as many registers as the shape needs");
  using All = Matrices<NA, NB, NC>;
  All mine{a, b, c};
  together(mine, multiply<M, K, TA, TB, TC, All>, line);
  return mine.c;
}

template <std::size_t Count>
struct Rows {
  u32 from[4];  // 8 elements of 16 bits
  std::array<u64, Count> to;
};
template <std::size_t Count, bool Transposed>
void hand_out(Rows<Count>* lanes) {
  for (unsigned lane = 0; lane < 32; ++lane) {
    for (unsigned matrix = 0; matrix < Count; ++matrix) {
      const Rows<Count>* const rows = lanes + 8 * matrix;
      u32 word = rows[lane / 4].from[lane % 4];
      if constexpr (Transposed) {
        const auto element = [&](unsigned row) {
          return rows[row].from[lane / 8] >> (lane / 4 % 2 * 16) & 0xffffU;
        };
        word = element(lane % 4 * 2) | element(lane % 4 * 2 + 1) << 16;
      }
      lanes[lane].to[matrix] = word;
    }
  }
}
/// Lane i of each eight brings the address of row i of a matrix of 8 by 8 elements of 16 bits.
template <std::size_t Count, bool Transposed>
std::array<u64, Count> ldmatrix(const char* row, unsigned line = __builtin_LINE()) {
  Rows<Count> mine{};
  if (lane_id() < Count * 8) {
    const auto words = *reinterpret_cast<const uint4*>(row);
    mine.from[0] = words.x, mine.from[1] = words.y, mine.from[2] = words.z, mine.from[3] = words.w;
  }
  together(mine, hand_out<Count, Transposed>, line);
  return mine.to;
}

}  // namespace assay::simt::ptx
