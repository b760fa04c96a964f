#pragma once

#include <string>

#include "model/device_metrics.hpp"

namespace assay::metrics {

/// One page of text: what bounds the kernel, the numbers that say so, what changed against the
/// reference, and what to try. If the counters do not say, the page says that.
[[nodiscard]] std::string explain(const DeviceMetrics& metrics);

}  // namespace assay::metrics
