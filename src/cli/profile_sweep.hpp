#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "profile/sweep.hpp"

namespace assay::cli {

/// Profiles one command under one root, and gives the exit code.
using ProfileOne = std::function<Result<int>(const std::vector<std::string>& command,
                                             const std::filesystem::path& root)>;

/// Profiles a command for every combination of values, and shows a table over them. sweep.json,
/// sweep.csv and the picture sweep.svg are left beside the runs. Points that ended well before are
/// not run again. Exits with 0 if all points ended well, and with 1 if one failed.
[[nodiscard]] Result<int> run_sweep(const std::vector<std::string>& axes,
                                    const std::vector<std::string>& command,
                                    const std::filesystem::path& root, const ProfileOne& profile);

}  // namespace assay::cli
