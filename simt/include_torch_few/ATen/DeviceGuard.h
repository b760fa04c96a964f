// Torch's own header also finds the device of a list of tensors. For that it brings in half of
// torch's interpreter. Every header of an operator includes it.
#pragma once

#include <optional>

#include <ATen/core/Tensor.h>
#include <c10/core/DeviceGuard.h>

namespace at {

inline std::optional<Device> device_of(const Tensor& tensor) {
  return tensor.defined() ? std::optional(tensor.device()) : std::nullopt;
}

inline std::optional<Device> device_of(const std::optional<Tensor>& tensor) {
  return tensor ? device_of(*tensor) : std::nullopt;
}

}  // namespace at
