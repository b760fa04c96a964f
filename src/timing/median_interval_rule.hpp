#pragma once

#include "timing/progress.hpp"

namespace assay::timing {

/// Enough when the interval of the median of the batches' figures is narrow. It may reach no
/// further than this part of the median to either side. There is no interval before six batches.
struct MedianIntervalRule {
  double relative = 0.01;

  [[nodiscard]] bool enough(const Progress& progress) const;
};

}  // namespace assay::timing
