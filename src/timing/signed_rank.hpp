#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "model/timing_summary.hpp"

namespace assay::timing {

/// The middle of some values: the median of the averages of all pairs (Hodges and Lehmann), with
/// the interval of Wilcoxon's signed-rank test. It assumes only that values lie alike on both sides
/// of the middle. Three in ten of them may be anything.
class SignedRank {
 public:
  /// `values` must not be empty.
  explicit SignedRank(std::span<const double> values);

  [[nodiscard]] double estimate() const;
  /// `confidence` is between 0 and 1. None where there are too few values for it.
  [[nodiscard]] std::optional<Interval> interval(double confidence) const;

 private:
  std::size_t count_;
  std::vector<double> averages_;  // sorted
};

}  // namespace assay::timing
