#include "cli/device_choice.hpp"

#include <algorithm>
#include <expected>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "base/error.hpp"
#include "base/result.hpp"
#include "device/cuda_inventory.hpp"
#include "model/device_info.hpp"
#include "model/ids.hpp"

namespace assay::cli {
namespace {

void add(std::vector<DeviceInfo>& chosen, const DeviceInfo& device) {
  if (std::ranges::find(chosen, device.id, &DeviceInfo::id) == chosen.end()) {
    chosen.push_back(device);
  }
}

std::unexpected<Error> unknown(const std::string& name, const device::CudaInventory& gpus) {
  std::string known = "cpu";
  for (const DeviceInfo& gpu : gpus.devices) known += ", " + gpu.id.value;
  const std::string why = gpus.devices.empty() ? fmt::format(" ({})", gpus.why_none) : "";
  return fail(ErrorCode::invalid_argument,
              fmt::format("--devices: there is no device '{}'; there is: {}{}", name, known, why));
}

Result<void> check_same_code(const std::vector<DeviceInfo>& chosen) {
  const DeviceInfo* first = nullptr;
  for (const DeviceInfo& device : chosen) {
    if (device.kind != DeviceKind::cuda) continue;
    if (first == nullptr) first = &device;
    if (device.compute == first->compute) continue;
    return fail(ErrorCode::invalid_argument,
                fmt::format("--devices: {} and {} need different machine code: choose GPUs of one "
                            "kind",
                            first->id.value, device.id.value));
  }
  return {};
}

}  // namespace

Result<std::vector<DeviceInfo>> choose_devices(const std::vector<std::string>& names,
                                               const device::CudaInventory& gpus,
                                               const DeviceInfo& cpu) {
  std::vector<DeviceInfo> chosen;
  for (const std::string& name : names) {
    if (name == "cpu" || (name == "auto" && gpus.devices.empty())) {
      add(chosen, cpu);
    } else if (name == "auto" || (name == "cuda" && !gpus.devices.empty())) {
      for (const DeviceInfo& gpu : gpus.devices) add(chosen, gpu);
    } else {
      const auto found = std::ranges::find(gpus.devices, DeviceId{name}, &DeviceInfo::id);
      if (found == gpus.devices.end()) return unknown(name, gpus);
      add(chosen, *found);
    }
  }
  if (auto same = check_same_code(chosen); !same) return std::unexpected(same.error());
  return chosen;
}

}  // namespace assay::cli
