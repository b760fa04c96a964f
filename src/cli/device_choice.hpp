#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "device/cuda_inventory.hpp"
#include "model/device_info.hpp"

namespace assay::cli {

/// The devices that `names` ask for: "cpu", "cuda" (every GPU), "cuda:N", or "auto" (every GPU, or
/// cpu if there is none). Fails with `invalid_argument` for a device that is not here, and for GPUs
/// that need different machine code.
[[nodiscard]] Result<std::vector<DeviceInfo>> choose_devices(const std::vector<std::string>& names,
                                                             const device::CudaInventory& gpus,
                                                             const DeviceInfo& cpu);

}  // namespace assay::cli
