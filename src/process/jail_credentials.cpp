#include "process/jail_credentials.hpp"

#include <array>
#include <cerrno>
#include <expected>
#include <optional>
#include <string_view>

#include <grp.h>
#include <linux/capability.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/os.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"
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

std::optional<unsigned> number_of(KeptCapability kept) {
  constexpr unsigned kPerfmon = 38;  // CAP_PERFMON, which older headers do not name
  switch (kept) {
    case KeptCapability::none:
      return std::nullopt;
    case KeptCapability::perfmon:
      return kPerfmon;
    case KeptCapability::sys_admin:
      return CAP_SYS_ADMIN;
  }
  return std::nullopt;
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
  // For the loopback of the jails that have one; others do without.
  ::syscall(SYS_prctl, PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_NET_ADMIN, 0, 0);
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

Result<void> drop_privileges(KeptCapability kept) {
  CapabilitySets had{};
  if (!read_capabilities(had)) return std::unexpected(errno_error("read the capabilities"));
  const std::optional<unsigned> number = number_of(kept);
  CapabilitySets left{};
  if (number && (had[*number / 32].permitted & (1U << (*number % 32))) != 0) {
    auto& set = left[*number / 32];
    set.permitted = set.effective = set.inheritable = 1U << (*number % 32);
  }
  for (unsigned capability = 0; capability < 64; ++capability) {
    if (capability == number) continue;
    // Fails past the last capability this kernel has.
    if (::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0) break;
  }
  if (::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0 ||
      !write_capabilities(left) || ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    return std::unexpected(errno_error("drop the privileges"));
  }
  // The only way by which one survives the exec of a program that is not root's.
  if (number) (void)::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, *number, 0, 0);
  return {};
}

Result<void> raise_loopback() {
  const UniqueFd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{};
  constexpr std::string_view kLoopback = "lo";
  kLoopback.copy(request.ifr_name, kLoopback.size());
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  if (!socket || ::ioctl(socket.get(), SIOCSIFFLAGS, &request) != 0) {
    return std::unexpected(errno_error("switch on the jail's loopback"));
  }
  return {};
}

}  // namespace assay::process
