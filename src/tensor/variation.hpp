#pragma once

#include <cstdint>
#include <span>

#include "model/dtype.hpp"
#include "model/io_contract.hpp"

namespace assay::tensor {

/// Makes another tensor of one that is always the same, such that whoever may be given the one may
/// be given the other.
/// - Numbers that measure something change by up to a quarter of themselves. Square matrices may
///   have to be symmetric, triangular or positive: those change by a factor for each row, and the
///   same one for the column.
/// - Integers change places within their rows. Where a row is sorted, or a number negative, the
///   places may have a meaning, and nothing is changed.
void vary(DType dtype, const Shape& shape, std::uint64_t seed, std::span<std::byte> bytes);

}  // namespace assay::tensor
