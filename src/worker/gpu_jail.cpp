#include "worker/gpu_jail.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/core.h>

#include "base/os.hpp"
#include "device/gpu_files.hpp"
#include "model/device_info.hpp"
#include "process/jail_profile.hpp"

namespace assay::worker {

namespace {

/// Of the GPUs themselves: nvidia0, nvidia1, …
bool is_gpu_file(std::string_view name) {
  constexpr std::string_view kPrefix = "nvidia";
  return name.size() > kPrefix.size() && name.starts_with(kPrefix) &&
         name.find_first_not_of("0123456789", kPrefix.size()) == std::string_view::npos;
}

bool is_driver_file(std::string_view name) {
  return name == "nvidiactl" || name == "nvidia-uvm" || name == "nvidia-uvm-tools";
}

/// The number behind `what` in a text of "gpu0/gi1/ci0/access 13" lines.
std::optional<std::string> minor_of(const std::string& text, const std::string& what) {
  std::istringstream lines(text);
  std::string name;
  std::string number;
  while (lines >> name >> number) {
    if (name == what) return number;
  }
  return std::nullopt;
}

/// What lets a process into one part of a GPU. Beside them lie those of the neighbours' parts.
std::vector<std::filesystem::path> capability_files(const device::GpuFiles& gpu,
                                                    const std::filesystem::path& dev,
                                                    const std::filesystem::path& mig_minors) {
  std::vector<std::filesystem::path> files;
  const auto text = read_file(mig_minors);
  if (!gpu.mig || !text) return files;
  const std::string part = fmt::format("gpu{}/gi{}", gpu.number.value_or(0), gpu.mig->gpu_instance);
  for (const std::string& what :
       {part + "/access", fmt::format("{}/ci{}/access", part, gpu.mig->compute_instance)}) {
    if (const auto minor = minor_of(*text, what)) {
      files.push_back(dev / "nvidia-caps" / ("nvidia-cap" + *minor));
    }
  }
  return files;
}

}  // namespace

std::vector<process::Bind> gpu_binds(const device::GpuFiles& gpu, const std::filesystem::path& dev,
                                     const std::filesystem::path& mig_minors) {
  const std::string own = fmt::format("nvidia{}", gpu.number.value_or(0));
  std::vector<std::filesystem::path> files = capability_files(gpu, dev, mig_minors);
  std::error_code ignored;
  for (const auto& item : std::filesystem::directory_iterator(dev, ignored)) {
    const std::string name = item.path().filename().string();
    const bool is_ours = !gpu.number || name == own;
    if (is_driver_file(name) || (is_gpu_file(name) && is_ours)) files.push_back(item.path());
  }
  std::ranges::sort(files);
  std::vector<process::Bind> binds;
  for (const auto& file : files) {
    binds.push_back({.host = file, .inside = file, .writable = true, .optional = true});
  }
  return binds;
}

bool shows_neighbours(const device::GpuFiles& gpu, const std::filesystem::path& dev) {
  return std::ranges::count_if(gpu_binds(gpu, dev), [](const process::Bind& bind) {
           return is_gpu_file(bind.host.filename().string());
         }) > 1;
}

std::vector<std::string> gpu_environment(const DeviceInfo& device) {
  if (device.kind != DeviceKind::cuda) return {};
  // Without the cache no process leaves code behind for another.
  return {"CUDA_VISIBLE_DEVICES=" + device.uuid, "CUDA_CACHE_DISABLE=1"};
}

}  // namespace assay::worker
