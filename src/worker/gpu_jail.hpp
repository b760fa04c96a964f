#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "model/device_info.hpp"
#include "process/jail_profile.hpp"

namespace assay::worker {

/// What a jailed process needs to see to use GPUs: the driver's device files. Its libraries are
/// below /usr.
[[nodiscard]] std::vector<process::Bind> gpu_binds(const std::filesystem::path& dev = "/dev");

/// The environment that shows a process this GPU alone.
[[nodiscard]] std::vector<std::string> gpu_environment(const DeviceInfo& device);

}  // namespace assay::worker
