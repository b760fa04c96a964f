#pragma once

#include <cstdint>

#include "base/result.hpp"
#include "process/clone_child.hpp"

namespace assay::process {

struct InitLaunch {
  std::uint64_t namespaces;  // CLONE_NEW...
  int cgroup_fd;             // or -1
  int control;               // init's end of the channel
};

/// Starts this executable as jail-init (process/jail_init.hpp).
[[nodiscard]] Result<ClonedChild> launch_init(const InitLaunch& launch);

}  // namespace assay::process
