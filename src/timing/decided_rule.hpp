#pragma once

#include "timing/paired_speed.hpp"
#include "timing/progress.hpp"

namespace assay::timing {

/// Enough when more pairs would hardly change the verdict on speed: it is `same`, or its interval
/// is narrow beside the threshold, or beside how far beyond the threshold it lies. Not as soon as
/// an interval just clears the threshold: who looks often enough sees that by chance.
struct DecidedRule {
  PairedRule rule;

  [[nodiscard]] bool enough(const Progress& progress) const;
};

}  // namespace assay::timing
