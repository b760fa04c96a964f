#pragma once

#include <cstddef>

#include "timing/progress.hpp"

namespace assay::timing {

/// Enough when the standard error of the batches' figures is this small a part of their median.
/// The deviation is taken from the quartiles: one interrupted batch must not decide how long to go
/// on.
struct StandardErrorRule {
  double relative = 0.005;
  std::size_t fewest = 5;  // fewer batches have no quartiles to speak of

  [[nodiscard]] bool enough(const Progress& progress) const;
};

}  // namespace assay::timing
