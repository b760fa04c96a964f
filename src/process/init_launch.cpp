#include "process/init_launch.hpp"

#include <array>
#include <cerrno>
#include <expected>

#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "process/clone_child.hpp"
#include "process/jail_credentials.hpp"
#include "process/jail_init.hpp"

namespace assay::process {
namespace {

struct Start {
  int executable;
  int control;
  bool user_namespace;
  std::array<const char*, 3> argv{"assay", kJailInitCommand, nullptr};
  std::array<const char*, 1> environment{nullptr};
  int error_number = 0;  // written by the child
};

ASSAY_IN_CHILD bool prepare_descriptors(const Start& start) {
  // Both ours are above kControlDescriptor; everything else goes.
  const auto executable = static_cast<unsigned>(start.executable);
  return ::syscall(SYS_dup3, start.control, kControlDescriptor, 0) >= 0 &&
         ::syscall(SYS_close_range, kControlDescriptor + 1U, executable - 1, 0) == 0 &&
         ::syscall(SYS_close_range, executable + 1, ~0U, 0) == 0;
}

ASSAY_IN_CHILD int exec_init(void* argument) {
  Start& start = *static_cast<Start*>(argument);
  if ((!start.user_namespace || keep_capabilities_across_exec()) && prepare_descriptors(start)) {
    // By descriptor, because the directory it lies in may not be open to the jail's user.
    ::syscall(SYS_execveat, start.executable, "", &start.argv[0], &start.environment[0],
              AT_EMPTY_PATH);
  }
  start.error_number = errno;
  return 1;
}

}  // namespace

Result<ClonedChild> launch_init(const InitLaunch& launch) {
  constexpr int kLowest = kControlDescriptor + 2;
  const UniqueFd executable(::open("/proc/self/exe", O_PATH | O_CLOEXEC));
  if (!executable) return std::unexpected(errno_error("open our own executable"));
  const UniqueFd moved(::fcntl(executable.get(), F_DUPFD_CLOEXEC, kLowest));
  const UniqueFd control(::fcntl(launch.control, F_DUPFD_CLOEXEC, kLowest));
  if (!moved || !control) return std::unexpected(errno_error("duplicate a descriptor"));
  Start start{.executable = moved.get(),
              .control = control.get(),
              .user_namespace = (launch.namespaces & CLONE_NEWUSER) != 0};
  ASSAY_TRY(ClonedChild child, clone_child({.flags = launch.namespaces,
                                            .cgroup_fd = launch.cgroup_fd,
                                            .entry = exec_init,
                                            .argument = &start}));
  if (start.error_number == 0) return child;
  (void)reap(child.pid);
  errno = start.error_number;
  return std::unexpected(errno_error("start jail-init", ErrorCode::unavailable));
}

}  // namespace assay::process
