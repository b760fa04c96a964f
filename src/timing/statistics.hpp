#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/timing_summary.hpp"

namespace assay::timing {

/// Percentiles interpolate linearly, as numpy's do. All zero where there are no samples.
[[nodiscard]] Statistics statistics_of(std::span<const double> samples_ns);

[[nodiscard]] TimingSummary summarize(std::vector<double> samples_ns, std::string method);

}  // namespace assay::timing
