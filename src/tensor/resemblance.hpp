#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "model/dtype.hpp"
#include "model/io_contract.hpp"

namespace assay::tensor {

/// Makes a tensor much like an earlier one of the same type and shape: of its elements only a few,
/// which `seed` chooses, stay, and the others become those of `before`. Who tells inputs apart by
/// some of their elements takes it for the earlier one. Leaves tensors alone whose places have a
/// meaning that a mixture could break: sorted ones, square matrices, and all that measure nothing.
void resemble(DType dtype, const Shape& shape, std::uint64_t seed,
              std::span<const std::byte> before, std::span<std::byte> bytes);

}  // namespace assay::tensor
