#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "warp.hpp"

namespace assay::simt {

/// What each thread of one block has seen of the others. That is enough to tell whether an earlier
/// access is ordered before a later one. Block barriers count epochs. Warp operations keep one
/// clock for each pair of lanes. Everything else that orders (atomics, the grid's barrier) counts
/// ticks of the whole launch.
class RaceClock {
 public:
  void start_block(std::uint32_t tick) {
    epoch_ = 0;
    std::memset(seen_, 0, sizeof seen_);
    for (std::uint32_t& thread : acquired_) thread = tick;
  }

  void block_barrier(unsigned threads) {
    ++epoch_;
    // A barrier also passes on what its threads have learnt from elsewhere.
    std::uint32_t most = 0;
    for (unsigned i = 0; i < threads; ++i) most = acquired_[i] > most ? acquired_[i] : most;
    for (unsigned i = 0; i < threads; ++i) acquired_[i] = most;
  }

  void warp_operation(unsigned warp, unsigned lanes) {
    auto& seen = seen_[warp];
    std::uint32_t joined[kWarpSize] = {};
    std::uint32_t most = 0;
    for (unsigned rest = lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      ++seen[lane][lane];
      for (unsigned k = 0; k < kWarpSize; ++k) {
        joined[k] = seen[lane][k] > joined[k] ? seen[lane][k] : joined[k];
      }
      const std::uint32_t acquired = acquired_[warp * kWarpSize + lane];
      most = acquired > most ? acquired : most;
    }
    for (unsigned rest = lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      std::memcpy(seen[lane], joined, sizeof joined);
      acquired_[warp * kWarpSize + lane] = most;
    }
  }

  void acquire(unsigned thread, std::uint32_t tick) {
    if (tick > acquired_[thread]) acquired_[thread] = tick;
  }
  [[nodiscard]] std::uint32_t acquired(unsigned thread) const { return acquired_[thread]; }
  [[nodiscard]] std::uint32_t epoch() const { return epoch_; }
  [[nodiscard]] std::uint32_t own(unsigned thread) const {
    return seen_[thread / kWarpSize][thread % kWarpSize][thread % kWarpSize];
  }
  /// Whether `thread` has met `other` in a warp operation since `other`'s clock stood at `clock`.
  [[nodiscard]] bool has_seen(unsigned thread, unsigned other, std::uint32_t clock) const {
    return thread / kWarpSize == other / kWarpSize &&
           seen_[thread / kWarpSize][thread % kWarpSize][other % kWarpSize] > clock;
  }

 private:
  static constexpr unsigned kThreads = 1024;
  std::uint32_t epoch_ = 0;
  std::uint32_t acquired_[kThreads] = {};
  std::uint32_t seen_[kThreads / kWarpSize][kWarpSize][kWarpSize] = {};
};

}  // namespace assay::simt
