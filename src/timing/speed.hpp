#pragma once

#include "model/timing_summary.hpp"

namespace assay::timing {

/// Compares two timings by their medians. The interval joins the intervals of both medians, so it
/// is wider than 95 % and never too sure. Undecided, and without an interval, where a median has
/// none.
[[nodiscard]] Speed compare_speed(const Statistics& reference, const Statistics& candidate);

}  // namespace assay::timing
