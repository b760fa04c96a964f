#pragma once

#include <cstdint>
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

/// What this kernel lets us build a jail from. Parts that are missing are left out of every jail;
/// whether that is acceptable is for the caller to decide, before it runs anything.
struct JailSupport {
  std::vector<JailPartStatus> parts;
  CgroupTree cgroups;
  std::string compiler_filter;  // of each SyscallPolicy, as the kernel loads it
  std::string runner_filter;
  std::string zygote_filter;
  std::string gpu_runner_filter;
  std::string gpu_zygote_filter;
  std::string gpu_profiler_filter;

  [[nodiscard]] bool has(JailPart part) const;
  [[nodiscard]] bool complete() const;
  [[nodiscard]] std::vector<JailPartStatus> missing() const;
  [[nodiscard]] const std::string& filter(SyscallPolicy policy) const;
};

/// Tries each part once in a child of its own, then all together. Takes some 20 ms. The executable
/// must lead `jail-init` to jail_init_main. Also removes the control groups of dead servers.
[[nodiscard]] JailSupport probe_jail_support();

}  // namespace assay::process
