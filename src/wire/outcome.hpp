#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "model/outcome.hpp"

namespace assay::wire {

/// As stored, and as it stands under `result` in a job; samples included.
[[nodiscard]] std::string encode_outcome(const Outcome& outcome);

/// Reads back what encode_outcome wrote. Fails with `data_loss`: nobody else writes it.
[[nodiscard]] Result<Outcome> decode_outcome(std::string_view text);

}  // namespace assay::wire
