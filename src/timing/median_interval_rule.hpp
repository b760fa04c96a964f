#pragma once

#include "timing/progress.hpp"

namespace assay::timing {

/// Enough when the interval of the median of the batches' figures reaches no further than this
/// part of it to either side. Never before there is an interval, with six batches.
struct MedianIntervalRule {
  double relative = 0.01;

  [[nodiscard]] bool enough(const Progress& progress) const;
};

}  // namespace assay::timing
