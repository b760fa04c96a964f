#pragma once

#include "timing/paired_speed.hpp"
#include "timing/progress.hpp"

namespace assay::timing {

/// Enough when more pairs would hardly change the verdict on speed. Either the verdict is `same`.
/// Or its interval is narrow, compared with the threshold or with its distance beyond the
/// threshold. It is not enough that an interval just clears the threshold: who looks often enough
/// sees that by chance.
struct DecidedRule {
  PairedRule rule;

  [[nodiscard]] bool enough(const Progress& progress) const;
};

}  // namespace assay::timing
