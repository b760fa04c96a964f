#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "model/device_metrics.hpp"

namespace assay::metrics {

/// The run whose time on the GPU is the median of all, or the shorter of the two in the middle.
[[nodiscard]] std::size_t middle_run(std::span<const CallMetrics> runs);

/// Several runs of one call as one. Every number is the median of the runs that have it; where they
/// differ, the least and the most stand beside it. Launches are those of the middle run. Findings
/// are about the medians. `runs` must not be empty.
[[nodiscard]] CallMetrics over_runs(std::span<const CallMetrics> runs);

}  // namespace assay::metrics
