#pragma once

#include <vector>

#include "model/device_metrics.hpp"

namespace assay::metrics {

/// Every number that both calls have, in the order of the groups.
[[nodiscard]] std::vector<MetricChange> compare_calls(const CallMetrics& original,
                                                      const CallMetrics& custom);

}  // namespace assay::metrics
