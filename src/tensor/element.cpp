#include "tensor/element.hpp"

#include <cmath>
#include <cstddef>
#include <span>
#include <string>

#include <fmt/core.h>

#include "model/dtype.hpp"
#include "tensor/element_of.hpp"

namespace assay::tensor {

double read_element(DType dtype, std::span<const std::byte> bytes, std::size_t index) {
  return with_element(dtype, [&](auto element) { return element.read(bytes.data(), index); });
}

void write_element(DType dtype, std::span<std::byte> bytes, std::size_t index, double value) {
  with_element(dtype, [&](auto element) { element.write(bytes.data(), index, value); });
}

std::string format_element(DType dtype, std::span<const std::byte> bytes, std::size_t index) {
  if (is_floating(dtype) && std::isnan(read_element(dtype, bytes, index))) return "nan";  // no sign
  if (is_floating(dtype) && dtype != DType::float64) {
    return fmt::format("{}", static_cast<float>(read_element(dtype, bytes, index)));
  }
  return with_element(
      dtype, [&](auto element) { return fmt::format("{}", element.load(bytes.data(), index)); });
}

}  // namespace assay::tensor
