#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "model/timing_summary.hpp"

namespace assay::timing {

/// The middle of values that lie alike above and below it, by the averages of all pairs of them
/// (Hodges and Lehmann), with the interval of Wilcoxon's signed-rank test: no assumption but
/// symmetry, and three in ten values may be anything.
class SignedRank {
 public:
  /// Not of nothing.
  explicit SignedRank(std::span<const double> values);

  [[nodiscard]] double estimate() const;
  /// `confidence` is between 0 and 1. None where there are too few values for it.
  [[nodiscard]] std::optional<Interval> interval(double confidence) const;

 private:
  std::size_t count_;
  std::vector<double> averages_;  // sorted
};

}  // namespace assay::timing
