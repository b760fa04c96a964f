#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace assay::process {

/// The directory under which we make groups for one controller.
struct CgroupParent {
  enum class Version : std::uint8_t { v1, v2 };
  Version version;
  std::filesystem::path directory;
  friend bool operator==(const CgroupParent&, const CgroupParent&) = default;
};

/// Where control groups can be made. With version 2 all controllers share one directory.
struct CgroupTree {
  std::optional<CgroupParent> memory;
  std::optional<CgroupParent> pids;
  std::optional<CgroupParent> cpu;  // for shares of the processor; nothing is missing without it
  std::string memory_reason;        // why `memory` is missing
  std::string pids_reason;
};

/// The group this process is in for one controller, from the texts of /proc/self/mountinfo and
/// /proc/self/cgroup. `controller` is "memory" or "pids" for version 1 and "" for version 2.
[[nodiscard]] Result<std::filesystem::path> own_cgroup(std::string_view mountinfo,
                                                       std::string_view membership,
                                                       std::string_view controller);

/// The nearest group that is not one of ours. A worker lives in one that its server made for it,
/// and its runners are to live beside that, not in it: their memory is not the worker's.
[[nodiscard]] std::filesystem::path outside_of_ours(std::filesystem::path group);

/// Prepares a version-2 group, which may hold processes, to have children with `memory` and `pids`
/// controllers. Only the root may have both processes and such children. So if `own` holds this
/// process alone, this process moves into a child. Otherwise the parent of `own` is used. Returns
/// the directory in which to make groups.
[[nodiscard]] Result<std::filesystem::path> delegate_v2(const std::filesystem::path& own,
                                                        const std::filesystem::path& mount_point);

/// Looks for version 2 first, then version 1, in the group that this process is in. Its only effect
/// is that it enables the controllers of version 2. Only a try shows whether groups really work.
[[nodiscard]] CgroupTree find_cgroup_tree();

/// Names of our groups: the prefix, then pid and start time of the owner, then a random part.
[[nodiscard]] std::string new_group_name();

/// Kills and removes the groups of owners that no longer live. Returns how many there were.
std::size_t sweep_dead_groups(const CgroupTree& tree);

}  // namespace assay::process
