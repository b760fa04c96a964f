#pragma once

#include <optional>
#include <span>

#include "model/timing_summary.hpp"

namespace assay::timing {

/// The middle of values that lie alike above and below it, by the averages of all pairs of them
/// (Hodges and Lehmann), with the interval of Wilcoxon's signed-rank test: no assumption but
/// symmetry, and three in ten values may be anything.
struct Centre {
  double estimate = 0;
  std::optional<Interval> interval;  // none where there are too few values for the confidence
};

/// `confidence` is between 0 and 1. Values must not be empty.
[[nodiscard]] Centre centre_of(std::span<const double> values, double confidence);

}  // namespace assay::timing
