#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "model/outcome.hpp"

namespace assay::wire {

/// As stored, and, without the samples unless asked for, as it stands under `result` in a job.
/// What the two kernels' counters say, and beside it what came of collecting them.
[[nodiscard]] std::string encode_metrics(const DeviceMetrics& metrics);
[[nodiscard]] std::string encode_status(const MetricsStatus& status);
[[nodiscard]] std::string encode_status(const SanitizerStatus& status);

[[nodiscard]] std::string encode_outcome(const Outcome& outcome, bool with_samples = true);

/// Reads back what encode_outcome wrote. Fails with `data_loss`: nobody else writes it.
[[nodiscard]] Result<Outcome> decode_outcome(std::string_view text);

}  // namespace assay::wire
