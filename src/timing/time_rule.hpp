#pragma once

#include <chrono>

#include "timing/progress.hpp"

namespace assay::timing {

/// Enough when so much time has passed.
struct TimeRule {
  std::chrono::nanoseconds limit{};

  [[nodiscard]] bool enough(const Progress& progress) const { return progress.elapsed >= limit; }
};

}  // namespace assay::timing
