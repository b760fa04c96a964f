#include "worker/gpu_jail.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "model/device_info.hpp"
#include "process/jail_profile.hpp"

namespace assay::worker {

std::vector<process::Bind> gpu_binds(const std::filesystem::path& dev) {
  // nvidiactl, nvidia0…, nvidia-uvm, nvidia-uvm-tools, and nvidia-caps for MIG.
  std::vector<process::Bind> binds;
  std::error_code ignored;
  for (const auto& item : std::filesystem::directory_iterator(dev, ignored)) {
    if (!item.path().filename().string().starts_with("nvidia")) continue;
    binds.push_back(
        {.host = item.path(), .inside = item.path(), .writable = true, .optional = true});
  }
  std::ranges::sort(binds, {}, &process::Bind::host);
  return binds;
}

std::vector<std::string> gpu_environment(const DeviceInfo& device) {
  if (device.kind != DeviceKind::cuda) return {};
  // Without the cache no process leaves code behind for another.
  return {"CUDA_VISIBLE_DEVICES=" + device.uuid, "CUDA_CACHE_DISABLE=1"};
}

}  // namespace assay::worker
