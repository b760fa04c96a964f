#pragma once

// Private to wire.

#include "model/outcome.hpp"
#include "wire/fields.hpp"

namespace assay::wire {

[[nodiscard]] Json timing_json(const TimingSummary& timing, bool with_samples);
[[nodiscard]] Json outcome_json(const Outcome& outcome, bool with_samples);

}  // namespace assay::wire
