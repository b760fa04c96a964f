#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "process/cgroup_tree.hpp"
#include "process/jail_profile.hpp"

namespace assay::process {

enum class JailPart : std::uint8_t {
  user_namespace,
  mount_namespace,
  pid_namespace,
  network_namespace,
  ipc_namespace,
  uts_namespace,
  private_proc,
  seccomp,
  cgroup_memory,
  cgroup_pids,
};

[[nodiscard]] std::string_view to_string(JailPart part);

struct JailPartStatus {
  JailPart part;
  bool available;
  std::string detail;  // where it is, or why it is missing
  std::string cost;    // what its absence costs; empty where it is available
};

/// What this kernel lets us build a jail from. Missing parts are left out of every jail. The caller
/// must decide whether that is acceptable, before it runs anything.
struct JailSupport {
  std::vector<JailPartStatus> parts;
  CgroupTree cgroups;
  int landlock = 0;  // its version; 0: the kernel has none, and jails do without
  std::map<SyscallPolicy, std::string> filters;  // as the kernel loads them; empty: no seccomp

  [[nodiscard]] bool has(JailPart part) const;
  [[nodiscard]] bool complete() const;
  [[nodiscard]] std::vector<JailPartStatus> missing() const;
  /// Empty where the kernel has no seccomp.
  [[nodiscard]] std::string filter(SyscallPolicy policy) const;
};

/// Tries each part once in a child of its own, then all together. Takes some 20 ms. The executable
/// must lead `jail-init` to jail_init_main. Also removes the control groups of dead servers.
[[nodiscard]] JailSupport probe_jail_support();

}  // namespace assay::process
