#pragma once

#include "model/timing_summary.hpp"
#include "timing/progress.hpp"

namespace assay::timing {

/// Enough when more pairs would hardly change the verdict on speed: it is `same`, or its interval
/// is narrow beside the threshold, or beside how far beyond the threshold it lies. Not as soon as
/// an interval just clears the threshold: who looks often enough sees that by chance.
struct DecidedRule {
  double threshold = kSameWithin;
  double confidence = kSpeedConfidence;

  [[nodiscard]] bool enough(const Progress& progress) const;
};

}  // namespace assay::timing
