#pragma once

#include <cstdint>

#include <sys/types.h>

#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace assay::process {

/// Code that runs in a child between clone and exec must not touch what the parent instruments.
#define ASSAY_IN_CHILD __attribute__((no_sanitize("address", "thread", "undefined")))

struct CloneRequest {
  std::uint64_t flags = 0;  // CLONE_NEW...
  int cgroup_fd = -1;       // joined by the child at birth
  /// Runs in the child with every signal blocked, and must end in exec or _exit. As after vfork,
  /// the child shares our memory, and we wait until it has gone. It may make system calls and call
  /// nothing else. Even malloc is forbidden: another thread may hold its lock. We can read what it
  /// stores.
  int (*entry)(void* argument) = nullptr;
  void* argument = nullptr;
};

struct ClonedChild {
  pid_t pid;
  UniqueFd pidfd;
};

/// Starts a child in new namespaces; cheap however large this process is, and safe with threads.
/// Fails with `unavailable` where the kernel refuses.
[[nodiscard]] Result<ClonedChild> clone_child(const CloneRequest& request);

/// Waits for the end of a child and returns its wait status.
[[nodiscard]] int reap(pid_t pid);

}  // namespace assay::process
