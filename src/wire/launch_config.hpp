#pragma once

// Private to wire.

#include "model/io_contract.hpp"
#include "wire/fields.hpp"

namespace assay::wire {

/// False where it is no object. What is wrong with a part of it is recorded.
[[nodiscard]] bool read_launch(const Field& field, LaunchConfig& launch, bool strict);

}  // namespace assay::wire
