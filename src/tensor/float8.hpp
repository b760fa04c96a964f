#pragma once

#include <cstdint>

#include <device_code/work.hpp>

namespace assay::tensor {

// The two 8-bit floats of machine learning, as their bits.

[[nodiscard]] inline double from_float8_e5m2(std::uint8_t bits) {
  return work::number_of_e5m2(bits);
}

[[nodiscard]] inline std::uint8_t to_float8_e5m2(double value) {
  return static_cast<std::uint8_t>(work::packed_e5m2(value));
}

[[nodiscard]] inline double from_float8_e4m3fn(std::uint8_t bits) {
  return work::number_of_e4m3fn(bits);
}

[[nodiscard]] inline std::uint8_t to_float8_e4m3fn(double value) {
  return static_cast<std::uint8_t>(work::packed_e4m3fn(value));
}

}  // namespace assay::tensor
