#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "model/outcome.hpp"

namespace assay::wire {

/// As stored, and, without the samples unless asked for, as it stands under `result` in a job.
[[nodiscard]] std::string encode_outcome(const Outcome& outcome, bool with_samples = true);

/// Reads back what encode_outcome wrote. Fails with `data_loss`: nobody else writes it.
[[nodiscard]] Result<Outcome> decode_outcome(std::string_view text);

}  // namespace assay::wire
