#pragma once

// Private to wire.

#include <optional>

#include "model/io_contract.hpp"
#include "model/kernel.hpp"
#include "wire/fields.hpp"

namespace assay::wire {

/// Nothing where errors were recorded.
[[nodiscard]] std::optional<IoContract> read_contract(const Field& field, bool strict);
[[nodiscard]] std::optional<Kernel> read_kernel(const Field& field, bool strict);

}  // namespace assay::wire
