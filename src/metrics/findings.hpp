#pragma once

#include <optional>
#include <vector>

#include "model/device_metrics.hpp"

namespace assay::metrics {

/// What the numbers of a call say, what bounds it first. Where they do not say, the finding is
/// that.
[[nodiscard]] std::vector<MetricFinding> find_what_they_say(const CallMetrics& call);

/// Whether the launches that were profiled are those that take the time of a call, by what the
/// evaluation measured without a profiler.
[[nodiscard]] std::optional<MetricFinding> compare_with_time(const CallMetrics& call,
                                                             std::optional<double> measured_ns);

}  // namespace assay::metrics
