#pragma once

#include <chrono>
#include <span>

#include "timing/paired_speed.hpp"

namespace assay::timing {

/// What rules about when to stop look at. Each rule is a type of its own with one question,
/// `enough(progress)`; timing/auto_trials.hpp puts them together.
struct Progress {
  std::span<const double> figures;  // of one kernel's batches so far, in nanoseconds
  std::span<const Pair> pairs;      // of both, where there are two kernels
  std::chrono::nanoseconds elapsed{};
};

}  // namespace assay::timing
