#pragma once

#include <cstdint>

namespace assay::tensor {

/// IEEE binary16 and bfloat16 as their bits. Conversions from double round once, to nearest even.
[[nodiscard]] std::uint16_t to_float16(double value);
[[nodiscard]] std::uint16_t to_bfloat16(double value);
[[nodiscard]] float from_float16(std::uint16_t bits);
[[nodiscard]] float from_bfloat16(std::uint16_t bits);

}  // namespace assay::tensor
