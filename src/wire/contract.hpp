#pragma once

// Private to wire.

#include <cstdint>
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

/// Nothing larger is worth a look, whatever device it is for. What a device takes is less.
[[nodiscard]] std::uint64_t most_bytes();

}  // namespace assay::wire
