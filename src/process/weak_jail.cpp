#include "process/weak_jail.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "process/jail_support.hpp"

namespace assay::process {

std::vector<JailPartStatus> not_given_up(const JailSupport& support, const PartNames& given_up) {
  std::vector<JailPartStatus> left = support.missing();
  std::erase_if(left, [&](const JailPartStatus& status) {
    return std::ranges::find(given_up, to_string(status.part)) != given_up.end();
  });
  return left;
}

std::string_view mend_of(JailPart part) {
  switch (part) {
    case JailPart::user_namespace:
      return "sysctl -w user.max_user_namespaces=10000 (Debian: "
             "kernel.unprivileged_userns_clone=1, "
             "Ubuntu: kernel.apparmor_restrict_unprivileged_userns=0)";
    case JailPart::mount_namespace:
    case JailPart::pid_namespace:
    case JailPart::network_namespace:
    case JailPart::ipc_namespace:
    case JailPart::uts_namespace:
      return "start the container with --security-opt seccomp=unconfined --security-opt "
             "apparmor=unconfined --cap-add SYS_ADMIN";
    case JailPart::private_proc:
      return "start the container with --security-opt systempaths=unconfined";
    case JailPart::seccomp:
      return "a kernel with CONFIG_SECCOMP_FILTER";
    case JailPart::cgroup_memory:
    case JailPart::cgroup_pids:
      return "systemd-run --user --scope -p Delegate=yes assay serve …, or start the container "
             "with "
             "--cgroupns=private and a writable /sys/fs/cgroup";
  }
  std::unreachable();
}

}  // namespace assay::process
