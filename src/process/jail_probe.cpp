#include "process/jail_probe.hpp"

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <utility>

#include <fcntl.h>
#include <fmt/core.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "process/cgroup_slot.hpp"
#include "process/cgroup_tree.hpp"
#include "process/clone_child.hpp"
#include "process/jail_support.hpp"

namespace assay::process {
namespace {

/// Shared with the child, which stores its errno.
struct Attempt {
  int error_number = 0;
  sock_fprog filter{};
};

ASSAY_IN_CHILD int note(Attempt& attempt, bool worked) {
  if (!worked) attempt.error_number = errno;
  return 0;
}

ASSAY_IN_CHILD int do_nothing(void*) {
  return 0;
}

ASSAY_IN_CHILD int mount_something(void* argument) {
  mount_attr read_only{};
  read_only.attr_set = MOUNT_ATTR_RDONLY;
  long tree = -1;
  const bool worked =
      ::syscall(SYS_mount, nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
      ::syscall(SYS_mount, "tmpfs", "/tmp", "tmpfs", 0, nullptr) == 0 &&
      (tree = ::syscall(SYS_open_tree, AT_FDCWD, "/usr", OPEN_TREE_CLONE | AT_RECURSIVE)) >= 0 &&
      ::syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &read_only,
                sizeof(read_only)) == 0;
  return note(*static_cast<Attempt*>(argument), worked);
}

ASSAY_IN_CHILD int mount_proc(void* argument) {
  const bool worked =
      ::syscall(SYS_mount, nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
      ::syscall(SYS_mount, "proc", "/proc", "proc", 0, nullptr) == 0;
  return note(*static_cast<Attempt*>(argument), worked);
}

ASSAY_IN_CHILD int install_filter(void* argument) {
  Attempt& attempt = *static_cast<Attempt*>(argument);
  const bool worked = ::syscall(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
                      ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &attempt.filter) == 0;
  return note(attempt, worked);
}

Result<std::string> attempt_in_child(std::uint64_t flags, int (*entry)(void*), Attempt attempt,
                                     const char* what) {
  auto child = clone_child({.flags = flags, .entry = entry, .argument = &attempt});
  if (!child) return std::unexpected(std::move(child).error().while_doing(what));
  (void)reap(child->pid);
  if (attempt.error_number == 0) return std::string();
  errno = attempt.error_number;
  return std::unexpected(errno_error(what, ErrorCode::unavailable));
}

/// A process that does nothing until it is killed.
class Bystander {
 public:
  Bystander() : pid_(::fork()) {
    if (pid_ != 0) return;
    while (true) ::pause();
  }
  ~Bystander() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    (void)reap(pid_);
  }
  Bystander(const Bystander&) = delete;
  Bystander& operator=(const Bystander&) = delete;
  Bystander(Bystander&&) = delete;
  Bystander& operator=(Bystander&&) = delete;
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  pid_t pid_;
};

Result<void> try_to_join(const CgroupSlot& slot) {
  if (slot.clone_fd() >= 0) {
    auto child = clone_child({.cgroup_fd = slot.clone_fd(), .entry = do_nothing});
    if (!child) return std::unexpected(std::move(child).error());
    (void)reap(child->pid);
    return {};
  }
  const Bystander bystander;
  return slot.join(bystander.pid());
}

}  // namespace

Result<std::string> try_user_namespace() {
  return attempt_in_child(CLONE_NEWUSER, do_nothing, {}, "make a user namespace");
}

Result<std::string> try_namespace(JailPart part, bool in_user_namespace) {
  const std::uint64_t user = in_user_namespace ? CLONE_NEWUSER : 0;
  switch (part) {
    case JailPart::mount_namespace:
      return attempt_in_child(user | CLONE_NEWNS, mount_something, {}, "mount in a namespace");
    case JailPart::private_proc:
      return attempt_in_child(user | CLONE_NEWNS | CLONE_NEWPID, mount_proc, {}, "mount /proc");
    case JailPart::pid_namespace:
      return attempt_in_child(user | CLONE_NEWPID, do_nothing, {}, "make a pid namespace");
    case JailPart::network_namespace:
      return attempt_in_child(user | CLONE_NEWNET, do_nothing, {}, "make a network namespace");
    case JailPart::ipc_namespace:
      return attempt_in_child(user | CLONE_NEWIPC, do_nothing, {}, "make an ipc namespace");
    case JailPart::uts_namespace:
      return attempt_in_child(user | CLONE_NEWUTS, do_nothing, {}, "make a uts namespace");
    default:
      return fail(ErrorCode::invalid_argument, "not a namespace");
  }
}

Result<std::string> try_seccomp(const std::string& program) {
  std::string copy = program;
  Attempt attempt;
  attempt.filter.len = static_cast<unsigned short>(copy.size() / sizeof(sock_filter));
  attempt.filter.filter = reinterpret_cast<sock_filter*>(copy.data());
  return attempt_in_child(0, install_filter, attempt, "install a system call filter");
}

Result<std::string> try_cgroup(const CgroupTree& tree, JailPart part) {
  CgroupTree alone = tree;
  const bool memory = part == JailPart::cgroup_memory;
  (memory ? alone.pids : alone.memory).reset();
  const auto& parent = memory ? alone.memory : alone.pids;
  if (!parent) {
    return fail(ErrorCode::unavailable, memory ? tree.memory_reason : tree.pids_reason);
  }
  constexpr std::uint64_t kMemory = std::uint64_t{64} << 20U;
  constexpr std::uint32_t kProcesses = 16;
  ASSAY_TRY(const CgroupSlot slot, CgroupSlot::create(alone, kMemory, kProcesses));
  if (auto joined = try_to_join(slot); !joined) return std::unexpected(joined.error());
  return fmt::format("{} at {}", parent->version == CgroupParent::Version::v2 ? "v2" : "v1",
                     parent->directory.string());
}

}  // namespace assay::process
