#pragma once

#include <algorithm>
#include <cstddef>

#include "timing/progress.hpp"

namespace assay::timing {

/// Enough when so many batches are done.
struct CountRule {
  std::size_t batches = 10;

  [[nodiscard]] bool enough(const Progress& progress) const {
    return std::max(progress.figures.size(), progress.pairs.size()) >= batches;
  }
};

}  // namespace assay::timing
