#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "device/cuda_driver.hpp"
#include "device/nvml.hpp"
#include "model/device_info.hpp"

namespace assay::device {

/// The GPUs of this host as `cuda:0`, `cuda:1`, …: NVML's order (by PCI address), a GPU split by
/// MIG replaced by its instances. `visible` is the content of CUDA_VISIBLE_DEVICES: indices into
/// that order or (beginnings of) UUIDs; like CUDA, what follows the first invalid entry is left
/// out. Without NVML, the driver's own list, which has read CUDA_VISIBLE_DEVICES itself.
[[nodiscard]] Result<std::vector<DeviceInfo>> cuda_devices(
    const CudaDriver& driver, const Nvml* nvml, const std::optional<std::string>& visible);

/// The same with the libraries of this host. No driver or no GPU is an empty list and a `why`.
struct CudaInventory {
  std::vector<DeviceInfo> devices;
  std::string why_none;  // for people, where there is no device
};
[[nodiscard]] CudaInventory find_cuda_devices(const std::optional<std::string>& visible);

}  // namespace assay::device
