#pragma once

#include <cstdint>

#include <device_code/work.hpp>

namespace assay::tensor {

// IEEE binary16 and bfloat16 as their bits.

/// Rounded once, to nearest even.
[[nodiscard]] inline std::uint16_t to_float16(double value) {
  return static_cast<std::uint16_t>(work::packed_half<10, 5>(value));
}

[[nodiscard]] inline std::uint16_t to_bfloat16(double value) {
  return static_cast<std::uint16_t>(work::packed_half<7, 8>(value));
}

[[nodiscard]] inline float from_float16(std::uint16_t bits) {
  return work::float_of_half(bits);
}

[[nodiscard]] inline float from_bfloat16(std::uint16_t bits) {
  return work::float_of(std::uint32_t{bits} << 16U);
}

}  // namespace assay::tensor
