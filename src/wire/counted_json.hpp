#pragma once

// Private to wire.

#include "model/runner_protocol.hpp"
#include "wire/fields.hpp"

namespace assay::wire {

[[nodiscard]] Json counted_json(const Counted& reply);
/// Throws what the JSON library throws, and where a value is no number of a metric: its callers
/// catch.
[[nodiscard]] Counted read_counted(const Json& json);

}  // namespace assay::wire
