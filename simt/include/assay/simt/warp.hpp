#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "assay/simt/engine.hpp"

namespace assay::simt {

template <class T>
concept Shufflable = std::is_trivially_copyable_v<T> && sizeof(T) <= 8;

template <Shufflable T>
std::uint64_t to_word(const T& value) {
  std::uint64_t word = 0;
  std::memcpy(&word, &value, sizeof value);
  return word;
}
template <Shufflable T>
T from_word(std::uint64_t word) {
  T value;
  std::memcpy(static_cast<void*>(&value), &word, sizeof value);
  return value;
}

template <Shufflable T>
T shuffle(unsigned mask, const T& value, unsigned source, unsigned line) {
  return from_word<T>(assay_simt_warp(WarpOp::shuffle, mask, to_word(value), source, line));
}

/// The lane's own segment of `width` lanes: its first lane, and the lane's place in it.
struct Segment {
  unsigned lane = lane_id();
  unsigned width;
  unsigned first = lane & ~(width - 1);
  unsigned place = lane & (width - 1);
  explicit Segment(int w) : width(static_cast<unsigned>(w)) {}
};

}  // namespace assay::simt

// T is every type CUDA overloads these for: integers, float, double, half and bfloat16, single and
// in pairs.
template <assay::simt::Shufflable T>
T __shfl_sync(unsigned mask, T value, int source, int width = 32,
              unsigned line = __builtin_LINE()) {
  const assay::simt::Segment s(width);
  const unsigned lane = s.first + (static_cast<unsigned>(source) & (s.width - 1));
  return assay::simt::shuffle(mask, value, lane, line);
}
template <assay::simt::Shufflable T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32,
                 unsigned line = __builtin_LINE()) {
  const assay::simt::Segment s(width);
  return assay::simt::shuffle(mask, value, delta <= s.place ? s.lane - delta : s.lane, line);
}
template <assay::simt::Shufflable T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32,
                   unsigned line = __builtin_LINE()) {
  const assay::simt::Segment s(width);
  return assay::simt::shuffle(mask, value, delta < s.width - s.place ? s.lane + delta : s.lane,
                              line);
}
template <assay::simt::Shufflable T>
T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = 32,
                  unsigned line = __builtin_LINE()) {
  const assay::simt::Segment s(width);
  // Lanes of an earlier segment can be read. For a lane of a later segment the result is the
  // thread's own value.
  const unsigned lane = s.lane ^ static_cast<unsigned>(lane_mask);
  return assay::simt::shuffle(mask, value, lane < s.first + s.width ? lane : s.lane, line);
}

inline unsigned __ballot_sync(unsigned mask, int predicate, unsigned line = __builtin_LINE()) {
  return static_cast<unsigned>(
      assay_simt_warp(assay::simt::WarpOp::ballot, mask, predicate != 0, 0, line));
}
inline int __any_sync(unsigned mask, int predicate, unsigned line = __builtin_LINE()) {
  return __ballot_sync(mask, predicate, line) != 0;
}
inline int __all_sync(unsigned mask, int predicate, unsigned line = __builtin_LINE()) {
  return __ballot_sync(mask, !predicate, line) == 0;
}
inline unsigned __activemask(unsigned line = __builtin_LINE()) {
  return assay_simt_active_mask(line);
}

template <assay::simt::Shufflable T>
unsigned __match_any_sync(unsigned mask, T value, unsigned line = __builtin_LINE()) {
  return static_cast<unsigned>(
      assay_simt_warp(assay::simt::WarpOp::match_any, mask, assay::simt::to_word(value), 0, line));
}
template <assay::simt::Shufflable T>
unsigned __match_all_sync(unsigned mask, T value, int* all, unsigned line = __builtin_LINE()) {
  const auto lanes = static_cast<unsigned>(
      assay_simt_warp(assay::simt::WarpOp::match_all, mask, assay::simt::to_word(value), 0, line));
  *all = lanes != 0;
  return lanes;
}

inline unsigned __reduce_add_sync(unsigned mask, unsigned value, unsigned line = __builtin_LINE()) {
  return static_cast<unsigned>(assay_simt_warp(assay::simt::WarpOp::add, mask, value, 0, line));
}
inline int __reduce_add_sync(unsigned mask, int value, unsigned line = __builtin_LINE()) {
  return static_cast<int>(__reduce_add_sync(mask, static_cast<unsigned>(value), line));
}

#define ASSAY_SIMT_REDUCE(name, op)                                                              \
  inline unsigned name(unsigned mask, unsigned value, unsigned line = __builtin_LINE()) {        \
    return static_cast<unsigned>(                                                                \
        assay_simt_warp(assay::simt::WarpOp::op##_unsigned, mask, value, 0, line));              \
  }                                                                                              \
  inline int name(unsigned mask, int value, unsigned line = __builtin_LINE()) {                  \
    return static_cast<int>(                                                                     \
        assay_simt_warp(assay::simt::WarpOp::op##_signed, mask,                                  \
                        static_cast<std::uint64_t>(static_cast<std::int64_t>(value)), 0, line)); \
  }
ASSAY_SIMT_REDUCE(__reduce_min_sync, min)
ASSAY_SIMT_REDUCE(__reduce_max_sync, max)
#undef ASSAY_SIMT_REDUCE

#define ASSAY_SIMT_REDUCE(name, op)                                                               \
  inline unsigned name(unsigned mask, unsigned value, unsigned line = __builtin_LINE()) {         \
    return static_cast<unsigned>(assay_simt_warp(assay::simt::WarpOp::op, mask, value, 0, line)); \
  }
ASSAY_SIMT_REDUCE(__reduce_and_sync, bit_and)
ASSAY_SIMT_REDUCE(__reduce_or_sync, bit_or)
ASSAY_SIMT_REDUCE(__reduce_xor_sync, bit_xor)
#undef ASSAY_SIMT_REDUCE

namespace assay::simt {

/// Gives `value` back when the lanes that run together have all come here.
template <class T>
T in_step(T value, unsigned line = __builtin_LINE()) {
  __syncwarp(__activemask(line), line);
  return value;
}

}  // namespace assay::simt
