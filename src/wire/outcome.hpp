#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "model/outcome.hpp"

namespace assay::wire {

/// What the counters of the two kernels say.
[[nodiscard]] std::string encode_metrics(const DeviceMetrics& metrics);
/// What came of collecting them.
[[nodiscard]] std::string encode_status(const MetricsStatus& status);
[[nodiscard]] std::string encode_status(const SanitizerStatus& status);

/// The outcome as it is stored with its samples, and as it stands under `result` in a job without
/// them.
[[nodiscard]] std::string encode_outcome(const Outcome& outcome, bool with_samples = true);

/// Reads back what encode_outcome wrote. Fails with `data_loss`: nobody else writes it.
[[nodiscard]] Result<Outcome> decode_outcome(std::string_view text);

}  // namespace assay::wire
