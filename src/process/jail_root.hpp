#pragma once

#include <filesystem>
#include <vector>

#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "process/jail_plan.hpp"

namespace assay::process {

/// A copy of a part of the host's file system, read-only where asked, not yet placed anywhere.
struct DetachedBind {
  UniqueFd tree;
  std::filesystem::path inside;
  bool directory;
};

/// Copies every bind of the plan and the system directories. Runs before init gives up its
/// identity: afterwards it may no longer be allowed to walk to them.
[[nodiscard]] Result<std::vector<DetachedBind>> detach_binds(const JailPlan& plan);

/// Replaces the root of this mount namespace by a read-only tmpfs with the binds, /tmp, /dev,
/// /etc and /proc. Needs a mount namespace of our own and the capabilities of its owner.
[[nodiscard]] Result<void> build_root(const JailPlan& plan, const std::vector<DetachedBind>& binds);

}  // namespace assay::process
