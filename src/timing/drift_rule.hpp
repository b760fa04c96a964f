#pragma once

#include <cstddef>

#include "timing/progress.hpp"

namespace assay::timing {

/// Enough when times have stopped moving: the medians of the last `window` batches and of as many
/// before them differ by no more than this part. For warming up.
struct DriftRule {
  double relative = 0.02;
  std::size_t window = 3;

  [[nodiscard]] bool enough(const Progress& progress) const;
};

}  // namespace assay::timing
