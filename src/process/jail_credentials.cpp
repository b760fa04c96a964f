#include "process/jail_credentials.hpp"

#include <array>
#include <cerrno>
#include <expected>

#include <grp.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/os.hpp"
#include "base/result.hpp"
#include "process/clone_child.hpp"
#include "process/jail_profile.hpp"

namespace assay::process {
namespace {

constexpr std::array kNeededToBuild{CAP_SYS_ADMIN, CAP_SETUID, CAP_SETGID, CAP_SETPCAP};

using CapabilitySets = std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3>;

ASSAY_IN_CHILD bool read_capabilities(CapabilitySets& sets) {
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  return ::syscall(SYS_capget, &header, &sets[0]) == 0;
}

ASSAY_IN_CHILD bool write_capabilities(const CapabilitySets& sets) {
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  return ::syscall(SYS_capset, &header, &sets[0]) == 0;
}

}  // namespace

ASSAY_IN_CHILD bool keep_capabilities_across_exec() {
  CapabilitySets sets{};
  if (!read_capabilities(sets)) return false;
  for (auto& set : sets) set.inheritable = set.permitted;
  if (!write_capabilities(sets)) return false;
  for (const int capability : kNeededToBuild) {
    if (::syscall(SYS_prctl, PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability, 0, 0) != 0) {
      return false;
    }
  }
  return true;
}

Result<void> assume_jail_identity() {
  // Refused where an ordinary user made the namespace; then the groups it has, it keeps.
  if (::setgroups(0, nullptr) != 0 && errno != EPERM) {
    return std::unexpected(errno_error("leave the supplementary groups"));
  }
  constexpr gid_t kGroup = kJailId;
  constexpr uid_t kUser = kJailId;
  if (::prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) != 0 || ::setresgid(kGroup, kGroup, kGroup) != 0 ||
      ::setresuid(kUser, kUser, kUser) != 0) {
    return std::unexpected(errno_error("become the jail's user"));
  }
  CapabilitySets sets{};
  if (!read_capabilities(sets)) return std::unexpected(errno_error("read the capabilities"));
  for (auto& set : sets) set.effective = set.permitted;  // setresuid cleared them
  if (!write_capabilities(sets)) return std::unexpected(errno_error("regain the capabilities"));
  return {};
}

Result<void> drop_privileges() {
  for (unsigned capability = 0; capability < 64; ++capability) {
    // Fails past the last capability this kernel has.
    if (::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0) break;
  }
  if (::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0 ||
      !write_capabilities(CapabilitySets{}) || ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    return std::unexpected(errno_error("drop the privileges"));
  }
  return {};
}

}  // namespace assay::process
