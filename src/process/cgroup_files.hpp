#pragma once

#include <filesystem>
#include <string_view>

#include "base/result.hpp"

namespace assay::process {

/// One write, as the kernel wants it; the file must exist.
[[nodiscard]] Result<void> write_cgroup_file(const std::filesystem::path& file,
                                             std::string_view text);

/// Kills every process in a group.
void kill_group(const std::filesystem::path& group);

/// Kills what is left in a group and in those below it, and removes them. A group that is not there
/// is fine.
void remove_group(const std::filesystem::path& group);

}  // namespace assay::process
