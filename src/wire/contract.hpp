#pragma once

// Private to wire.

#include <optional>

#include "model/io_contract.hpp"
#include "model/kernel.hpp"
#include "wire/fields.hpp"

namespace assay::wire {

/// Nothing where errors were recorded.
[[nodiscard]] std::optional<Shape> read_shape(const Field& field);
[[nodiscard]] bool read_launch(const Field& field, LaunchConfig& launch, bool strict);
[[nodiscard]] std::optional<IoContract> read_contract(const Field& field, bool strict);
[[nodiscard]] std::optional<Kernel> read_kernel(const Field& field, bool strict);

/// False, with the error recorded for `field`, where no device of this machine could hold its
/// tensors.
bool must_fit(const Field& field, const IoContract& contract);

}  // namespace assay::wire
