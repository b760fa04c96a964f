#pragma once

#include <optional>
#include <vector>

#include "model/device_metrics.hpp"

namespace assay::metrics {

/// What the numbers of a call say. What bounds the call comes first. If the numbers do not say,
/// that is the finding.
[[nodiscard]] std::vector<MetricFinding> find_what_they_say(const CallMetrics& call);

/// Whether the profiled launches are those that take the time of a call. The evaluation measured
/// that time without a profiler.
[[nodiscard]] std::optional<MetricFinding> compare_with_time(const CallMetrics& call,
                                                             std::optional<double> measured_ns);

}  // namespace assay::metrics
