#pragma once

// Private to wire.

#include <optional>

#include "model/io_contract.hpp"
#include "model/kernel.hpp"
#include "wire/fields.hpp"

namespace assay::wire {

/// Total bytes of all tensors of one contract: more is refused before anything is allocated.
inline constexpr std::uint64_t kMaxContractBytes = std::uint64_t{4} << 30U;

/// Nothing where errors were recorded.
[[nodiscard]] std::optional<IoContract> read_contract(const Field& field, bool strict);
[[nodiscard]] std::optional<Kernel> read_kernel(const Field& field, bool strict);

}  // namespace assay::wire
