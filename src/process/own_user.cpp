#include "process/own_user.hpp"

#include <array>
#include <cerrno>
#include <cstddef>
#include <expected>
#include <string>

#include <fcntl.h>
#include <fmt/core.h>
#include <linux/nsfs.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "process/cgroup_files.hpp"
#include "process/clone_child.hpp"
#include "process/jail_profile.hpp"

namespace assay::process {
namespace {

constexpr unsigned kMostPids = 1U << 22U;  // that Linux has

std::string map_file(pid_t pid, const char* name) {
  return fmt::format("/proc/{}/{}", pid, name);
}

Result<void> write_maps(pid_t pid, const std::string& users, const std::string& groups) {
  auto done = write_cgroup_file(map_file(pid, "uid_map"), users);
  return done ? write_cgroup_file(map_file(pid, "gid_map"), groups) : done;
}

/// The kernel takes a map only from the namespace itself or from the one around it. So a child of
/// ours goes there and writes it.
struct Errand {
  int around;  // the namespace
  std::array<const char*, 2> files;
  const char* map;
  std::size_t size;
  int error_number = 0;  // written by the child
};

ASSAY_IN_CHILD bool write_map(const Errand& errand, const char* file) {
  const long map = ::syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CLOEXEC);
  return map >= 0 &&
         ::syscall(SYS_write, map, errand.map, errand.size) == static_cast<long>(errand.size);
}

ASSAY_IN_CHILD int run_errand(void* argument) {
  Errand& errand = *static_cast<Errand*>(argument);
  if (::syscall(SYS_setns, errand.around, CLONE_NEWUSER) == 0 &&
      write_map(errand, errand.files.data()[0]) && write_map(errand, errand.files.data()[1])) {
    return 0;
  }
  errand.error_number = errno;
  return 1;
}

}  // namespace

Result<void> map_identity(pid_t pid, bool own_user, bool for_forks) {
  const bool root = ::geteuid() == 0;
  if (root && own_user) {
    const std::string own =
        fmt::format("{} {} 1", kJailId, kFirstOwnUser + static_cast<unsigned>(pid));
    const std::string forks = fmt::format("\n{0} {0} {1}", kFirstForkUser, kMostPids);
    // A container may have no users so high. A map can be written once, so the first one decides.
    if (for_forks && write_maps(pid, own + forks, own + forks)) return {};
    if (write_maps(pid, own, own)) return {};
  }
  const unsigned user = root ? kJailId : ::geteuid();
  const unsigned group = root ? kJailId : ::getegid();
  // The kernel lets an ordinary user name its group only if groups cannot be dropped any more.
  if (!root) {
    if (auto denied = write_cgroup_file(map_file(pid, "setgroups"), "deny"); !denied) return denied;
  }
  return write_maps(pid, fmt::format("{} {} 1", kJailId, user),
                    fmt::format("{} {} 1", kJailId, group));
}

Result<void> map_user_of_fork(pid_t pid) {
  const auto unavailable = [](const char* what) {
    return std::unexpected(errno_error(what, ErrorCode::unavailable));
  };
  if (::geteuid() != 0) return fail(ErrorCode::unavailable, "only root has users to give");
  const UniqueFd own(::open(map_file(pid, "ns/user").c_str(), O_RDONLY | O_CLOEXEC));
  if (!own) return unavailable("open the namespace of a fork");
  const UniqueFd around(::ioctl(own.get(), NS_GET_PARENT));
  if (!around) return unavailable("find the namespace around that of a fork");
  const std::string map =
      fmt::format("{} {} 1", kJailId, kFirstForkUser + static_cast<unsigned>(pid));
  const std::string users = map_file(pid, "uid_map");
  const std::string groups = map_file(pid, "gid_map");
  Errand errand{.around = around.get(),
                .files = {groups.c_str(), users.c_str()},
                .map = map.c_str(),
                .size = map.size()};
  ASSAY_TRY(const ClonedChild child, clone_child({.entry = run_errand, .argument = &errand}));
  (void)reap(child.pid);
  errno = errand.error_number;
  if (errand.error_number != 0) return unavailable("give a fork a user of its own");
  return {};
}

}  // namespace assay::process
