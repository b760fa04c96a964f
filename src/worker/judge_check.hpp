#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "base/result.hpp"

namespace assay::worker {

/// Whether the visible GPU makes, changes and compares tensors as the processor does, over random
/// cases. `device_code` is the folder that a server keeps in its data directory.
[[nodiscard]] Result<void> check_gpu_judge(const std::filesystem::path& device_code,
                                           std::size_t cases, std::uint64_t seed);

}  // namespace assay::worker
