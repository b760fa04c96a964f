#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "device/nvml.hpp"

namespace assay::device {

/// Where MIG has split a GPU: which part it is.
struct MigInstance {
  std::uint32_t gpu_instance = 0;
  std::uint32_t compute_instance = 0;
  friend bool operator==(const MigInstance&, const MigInstance&) = default;
};

/// Which device files are one GPU's.
struct GpuFiles {
  std::optional<std::uint32_t> number{};  // N of /dev/nvidiaN; absent where nobody says
  std::optional<MigInstance> mig{};
};

/// The files of the GPU, or of the part of one, with this UUID.
[[nodiscard]] GpuFiles gpu_files(const Nvml& nvml, std::string_view uuid);
/// The same by the library of this machine, if there is one.
[[nodiscard]] GpuFiles find_gpu_files(std::string_view uuid);

}  // namespace assay::device
