#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "model/dtype.hpp"
#include "model/io_contract.hpp"

namespace assay::tensor {

/// Makes a tensor much like an earlier one of the same type and shape. `seed` chooses a few
/// elements that stay. All others become those of `before`. A kernel that tells inputs apart by
/// some of their elements takes it for the earlier one. Some tensors are left alone, because a
/// mixture could break their meaning: sorted ones, symmetric matrices, and all whose numbers
/// measure nothing.
void resemble(DType dtype, const Shape& shape, std::uint64_t seed,
              std::span<const std::byte> before, std::span<std::byte> bytes);

}  // namespace assay::tensor
