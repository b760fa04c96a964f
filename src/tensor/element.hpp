#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/dtype.hpp"

namespace assay::tensor {

/// One element as a number. Integers of 64 bits lose their low bits past 2^53: compare those as
/// bytes.
[[nodiscard]] double read_element(DType dtype, std::span<const std::byte> bytes, std::size_t index);

/// Every `step`-th element as a number, the first among them.
[[nodiscard]] std::vector<double> every_nth(DType dtype, std::span<const std::byte> bytes,
                                            std::size_t step);

/// Stores a number: floats rounded to nearest even, integers truncated towards zero and held to
/// their range, booleans true unless zero.
void write_element(DType dtype, std::span<std::byte> bytes, std::size_t index, double value);

/// One element as text, exact for every dtype.
[[nodiscard]] std::string format_element(DType dtype, std::span<const std::byte> bytes,
                                         std::size_t index);

}  // namespace assay::tensor
