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

/// False if no device of this machine could hold the contract's tensors. The error is then recorded
/// for `field`.
bool must_fit(const Field& field, const IoContract& contract);

}  // namespace assay::wire
