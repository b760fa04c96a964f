#pragma once

#include <bit>
#include <cstdint>

namespace assay::simt {

/// SplitMix64's mixing step: a bijection whose output looks random.
constexpr std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31U);
}

/// A small generator for scheduling decisions; the same seed gives the same schedule.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  /// Below `bound`, which must not be 0. The bias of the multiplication is far below notice.
  unsigned below(unsigned bound) {
    state_ = mix(state_);
    return static_cast<unsigned>((state_ >> 32U) * bound >> 32U);
  }

 private:
  std::uint64_t state_;
};

/// Where `position` goes in a permutation of 0..count-1 named by `seed`. It is a four-round Feistel
/// network over the next even power of two, walked until it lands inside. No table is needed.
constexpr std::uint64_t permuted(std::uint64_t position, std::uint64_t count, std::uint64_t seed) {
  const unsigned half = (static_cast<unsigned>(std::bit_width(count - 1)) + 1) / 2;
  const std::uint64_t mask = (std::uint64_t{1} << half) - 1;
  do {
    std::uint64_t left = position >> half;
    std::uint64_t right = position & mask;
    for (std::uint64_t round = 0; round < 4; ++round) {
      const std::uint64_t next = left ^ (mix(right ^ (seed + round * 0x51ed27f5ULL)) & mask);
      left = right;
      right = next;
    }
    position = left << half | right;
  } while (position >= count);
  return position;
}

}  // namespace assay::simt
