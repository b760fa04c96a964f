#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace assay::timing {

/// Which kernel of a pair is timed first. Nobody can tell ahead. But of every four pairs each
/// kernel begins two, so that a machine that grows slower or faster favours neither.
class PairOrder {
 public:
  explicit PairOrder(std::uint64_t seed) : random_(seed) {}

  /// Whether the next pair begins with the reference.
  [[nodiscard]] bool reference_first();

 private:
  std::mt19937_64 random_;
  std::vector<bool> ahead_;
};

}  // namespace assay::timing
