#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace assay::trace {

/// Makes one timeline from those that several processes of a run left. All are in Nsight Systems'
/// tables and on one clock. What a killed process wrote only in part is removed. A single file is
/// moved. Several files are copied into one, and they stay. GPUs are told apart by their ids,
/// whatever number each process has for them. Returns what to say of files that had to be left out.
/// Fails where none can be read.
[[nodiscard]] Result<std::vector<std::string>> join_timelines(
    const std::vector<std::filesystem::path>& files, const std::filesystem::path& output);

}  // namespace assay::trace
