#pragma once

// Private to wire.

#include <cstdint>
#include <optional>
#include <string>

#include "model/io_contract.hpp"
#include "wire/fields.hpp"

namespace assay::wire {

/// Nothing larger is worth a look, whatever device it is for. What a device takes is less.
[[nodiscard]] std::uint64_t most_bytes();

/// What Errors::hold refuses, for people.
[[nodiscard]] std::string too_much_data();

/// Nothing where errors were recorded.
[[nodiscard]] std::optional<Shape> read_shape(const Field& field);
/// A tensor's shape, type and content; its role stands elsewhere. Nothing where errors were
/// recorded.
[[nodiscard]] std::optional<TensorArg> read_tensor(const Field& field, bool strict);

}  // namespace assay::wire
