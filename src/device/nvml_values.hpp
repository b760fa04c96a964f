#pragma once

#include <optional>
#include <string>
#include <vector>

#include "device/nvml.hpp"

namespace assay::device {

/// What a function of NVML writes to its last argument; nothing where it fails.
template <class Value, class Ask>
[[nodiscard]] std::optional<Value> ask_for(Ask ask) {
  Value value{};
  if (ask(&value) != nvml::kSuccess) return std::nullopt;
  return value;
}

/// What holds the GPU below the clocks it could have: "sw_power_cap", "hw_thermal_slowdown".
[[nodiscard]] std::vector<std::string> slowdowns_of(const Nvml& nvml, nvml::Device device);

}  // namespace assay::device
