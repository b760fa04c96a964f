#include "cli/gpu_watch.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <vector>

#include "base/mutex.hpp"
#include "device/gpu_health.hpp"
#include "device/nvml.hpp"
#include "model/device_info.hpp"

namespace assay::cli {

std::unique_ptr<GpuWatch> GpuWatch::open(const std::vector<DeviceInfo>& devices) {
  std::vector<DeviceInfo> gpus;
  std::ranges::copy_if(devices, std::back_inserter(gpus),
                       [](const DeviceInfo& device) { return device.kind == DeviceKind::cuda; });
  if (gpus.empty()) return nullptr;
  const auto nvml = device::Nvml::open();
  if (!nvml) return nullptr;
  return std::unique_ptr<GpuWatch>(new GpuWatch(*nvml, gpus));
}

std::optional<device::GpuHealth> GpuWatch::look(const DeviceInfo& device) {
  if (device.kind != DeviceKind::cuda) return std::nullopt;
  const MutexLock lock(mutex_);
  return probe_.look(device);
}

}  // namespace assay::cli
