#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "device/gpu_files.hpp"
#include "model/device_info.hpp"
#include "process/jail_profile.hpp"

namespace assay::worker {

/// What a jailed process needs to see to use this one GPU: its device file and those of the driver.
/// A part that MIG made needs the two files that give access to it. Libraries are below /usr. If
/// nobody says which file is the GPU's, all are shown.
[[nodiscard]] std::vector<process::Bind> gpu_binds(
    const device::GpuFiles& gpu, const std::filesystem::path& dev = "/dev",
    const std::filesystem::path& mig_minors = "/proc/driver/nvidia-caps/mig-minors");

/// Whether the jail would show other GPUs too: nobody says which of several files is this one's.
[[nodiscard]] bool shows_neighbours(const device::GpuFiles& gpu,
                                    const std::filesystem::path& dev = "/dev");

/// The environment that shows a process this GPU alone.
[[nodiscard]] std::vector<std::string> gpu_environment(const DeviceInfo& device);

}  // namespace assay::worker
