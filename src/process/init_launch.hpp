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

/// Maps kJailId of a new user namespace to a user outside of it. If we are not root, that is
/// ourselves. If we are, it is the host's kJailId, so that nothing a jail creates is root's. With
/// `own_user` it is a user that no other jail has. The kernel limits some things by user, such as
/// pipes, and then no jail can use up another's.
[[nodiscard]] Result<void> map_identity(pid_t pid, bool own_user);

/// A jail with a user of its own has this number and the pid of its init. Systems hand out no
/// users with numbers so high.
inline constexpr unsigned kFirstOwnUser = 0x7a550000;

}  // namespace assay::process
