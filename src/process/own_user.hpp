#pragma once

#include <sys/types.h>

#include "base/result.hpp"

namespace assay::process {

/// Maps kJailId of a new user namespace to a user outside of it. If we are not root, that is
/// ourselves. If we are, it is the host's kJailId, so that nothing a jail creates is root's. With
/// `own_user` it is a user that no other jail has. The kernel limits some things by user, such as
/// pipes and descriptors on their way, and then no jail can use up another's. With
/// `for_forks` the namespace has users for its forks too, see map_user_of_fork.
[[nodiscard]] Result<void> map_identity(pid_t pid, bool own_user, bool for_forks = false);

/// The same for a process that has made a user namespace inside such a jail, and has mapped nothing
/// in it. It gets a user that no other process has, and becomes it by taking the number kJailId.
/// Fails with `unavailable` where we may not, and then it can still map itself to its jail's user.
[[nodiscard]] Result<void> map_user_of_fork(pid_t pid);

/// A jail with a user of its own has this number and the pid of its init. Systems hand out no
/// users with numbers so high.
inline constexpr unsigned kFirstOwnUser = 0x7a550000;
/// And a fork inside of a jail this one and its own pid.
inline constexpr unsigned kFirstForkUser = 0x7b000000;

}  // namespace assay::process
