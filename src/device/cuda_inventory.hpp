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

/// The GPUs of this host as `cuda:0`, `cuda:1`, … in NVML's order (by PCI address). A GPU split by
/// MIG is replaced by its instances. `visible` is the content of CUDA_VISIBLE_DEVICES: indices into
/// that order, or UUIDs or beginnings of them. As in CUDA, everything from the first invalid entry
/// on is left out. Without NVML this is the driver's own list. The driver has then read
/// CUDA_VISIBLE_DEVICES itself.
[[nodiscard]] Result<std::vector<DeviceInfo>> cuda_devices(
    const CudaDriver& driver, const Nvml* nvml, const std::optional<std::string>& visible);

/// The same with the libraries of this host. No driver or no GPU is an empty list and a `why`.
struct CudaInventory {
  std::vector<DeviceInfo> devices;
  std::string why_none;  // for people, where there is no device
};
[[nodiscard]] CudaInventory find_cuda_devices(const std::optional<std::string>& visible);

}  // namespace assay::device
