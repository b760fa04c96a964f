#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/mutex.hpp"
#include "device/gpu_health.hpp"
#include "device/nvml.hpp"
#include "model/device_info.hpp"

namespace assay::cli {

/// Looks after the GPUs chosen, for the dispatcher. Safe to ask from several threads.
class GpuWatch {
 public:
  /// Nothing if there is no GPU among them, or if NVML is not available.
  [[nodiscard]] static std::unique_ptr<GpuWatch> open(const std::vector<DeviceInfo>& devices);

  /// Nothing for devices that are no GPUs.
  [[nodiscard]] std::optional<device::GpuHealth> look(const DeviceInfo& device);

 private:
  GpuWatch(const device::Nvml& nvml, const std::vector<DeviceInfo>& gpus)
      : nvml_(nvml), probe_(nvml_, gpus) {}

  const device::Nvml nvml_;
  Mutex mutex_;
  device::GpuHealthProbe probe_ ASSAY_GUARDED_BY(mutex_);
};

}  // namespace assay::cli
