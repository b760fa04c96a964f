#pragma once

#include <cstdint>

#include <sys/types.h>

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

/// Says who kJailId of a new user namespace is outside of it: the host's kJailId if we are root, so
/// that nothing a jail creates is root's; otherwise ourselves.
[[nodiscard]] Result<void> map_identity(pid_t pid);

}  // namespace assay::process
