#pragma once

#include <filesystem>
#include <optional>

#include "base/result.hpp"
#include "model/device_metrics.hpp"

namespace assay::cli {

/// Sets of counters from a JSON file: {"memory": {"sections": [...], "metrics": [...]}}. None where
/// there is no file. Fails with `invalid_argument`, naming the set.
[[nodiscard]] Result<MetricSets> read_metric_sets(const std::optional<std::filesystem::path>& file);

}  // namespace assay::cli
