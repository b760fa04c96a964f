#include "process/clone_child.hpp"

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>

#include <linux/sched.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace assay::process {
namespace {

constexpr std::size_t kStackSize = std::size_t{64} << 10U;

std::uint64_t address(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

#if defined(__x86_64__)
constexpr std::uint64_t kSharing = CLONE_VM | CLONE_VFORK;

/// The child must not return into this frame, which is the parent's; and the C library has no
/// wrapper of clone3 that changes stacks. So the child leaves from inside the instruction sequence.
ASSAY_IN_CHILD long clone3(clone_args& arguments, int (*entry)(void*), void* argument) {
  long result = SYS_clone3;
  register int (*child_entry)(void*) asm("r12") = entry;
  register void* child_argument asm("r13") = argument;
  asm volatile(
      "syscall\n\t"
      "testq %%rax, %%rax\n\t"
      "jnz 1f\n\t"
      "xorl %%ebp, %%ebp\n\t"
      "movq %%r13, %%rdi\n\t"
      "callq *%%r12\n\t"
      "movl %%eax, %%edi\n\t"
      "movl %[exit_group], %%eax\n\t"
      "syscall\n\t"
      "1:"
      : "+a"(result)
      : "D"(&arguments), "S"(sizeof(arguments)), "r"(child_entry),
        "r"(child_argument), [exit_group] "i"(SYS_exit_group)
      : "rcx", "r11", "memory");
  return result;
}
#else
constexpr std::uint64_t kSharing = 0;  // an ordinary fork: dearer, and stores stay in the child

long clone3(clone_args& arguments, int (*entry)(void*), void* argument) {
  arguments.stack = arguments.stack_size = 0;
  const long result = ::syscall(SYS_clone3, &arguments, sizeof(arguments));
  if (result == 0) ::_exit(entry(argument));
  return result < 0 ? -errno : result;
}
#endif

/// A handler of ours that ran in the child would run in our memory.
class BlockSignals {
 public:
  BlockSignals() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~BlockSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockSignals(const BlockSignals&) = delete;
  BlockSignals& operator=(const BlockSignals&) = delete;
  BlockSignals(BlockSignals&&) = delete;
  BlockSignals& operator=(BlockSignals&&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

Result<ClonedChild> clone_child(const CloneRequest& request) {
  const auto stack = std::make_unique_for_overwrite<std::byte[]>(kStackSize);
  int pidfd = -1;
  clone_args arguments{};
  arguments.flags = request.flags | CLONE_PIDFD | kSharing;
  arguments.pidfd = address(&pidfd);
  arguments.exit_signal = SIGCHLD;
  arguments.stack = address(stack.get());
  arguments.stack_size = kStackSize;
  if (request.cgroup_fd >= 0) {
    arguments.flags |= CLONE_INTO_CGROUP;
    arguments.cgroup = static_cast<std::uint64_t>(request.cgroup_fd);
  }
  const BlockSignals blocked;
  const long result = clone3(arguments, request.entry, request.argument);
  if (result < 0) {
    errno = static_cast<int>(-result);
    return std::unexpected(errno_error("start a child process", ErrorCode::unavailable));
  }
  return ClonedChild{.pid = static_cast<pid_t>(result), .pidfd = UniqueFd(pidfd)};
}

int reap(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace assay::process
