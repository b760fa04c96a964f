#pragma once

#include <filesystem>

#include "base/result.hpp"
#include "model/device_info.hpp"

namespace assay::device {

/// The `cpu` device: the processor's name, the cores this process may use, the memory of the
/// machine. `proc` is where /proc is mounted.
[[nodiscard]] Result<DeviceInfo> cpu_device(const std::filesystem::path& proc = "/proc");

}  // namespace assay::device
