#pragma once

#include <cstddef>
#include <cstdint>

#include "base/result.hpp"

namespace assay::eval {

/// Makes, changes and compares random tensors twice: with the accelerator that is installed, and by
/// the processor alone. Both must give the same bits. If they do not, it fails and says where.
/// `seed` makes the same cases again.
[[nodiscard]] Result<void> check_accelerator(std::size_t cases, std::uint64_t seed);

}  // namespace assay::eval
