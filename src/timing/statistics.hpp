#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "model/timing_summary.hpp"

namespace assay::timing {

/// All of n samples lie on one side of the median once in 2^(n-1) times. So with five samples, not
/// even the interval from the least to the greatest holds the median with 95 % confidence.
inline constexpr std::size_t kFewestForInterval = 6;

/// Interpolated linearly, as numpy does; 0 if there are no values. `fraction` is between 0 and 1.
[[nodiscard]] double percentile_of(std::span<const double> values, double fraction);
[[nodiscard]] double median_of(std::span<const double> values);

/// Percentiles interpolate linearly, as numpy's do. All zero where there are no samples.
[[nodiscard]] Statistics statistics_of(std::span<const double> samples_ns);

[[nodiscard]] TimingSummary summarize(std::vector<double> samples_ns, std::string method);

}  // namespace assay::timing
