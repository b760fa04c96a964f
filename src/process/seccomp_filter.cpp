#include "process/seccomp_filter.hpp"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <expected>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <type_traits>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "process/jail_profile.hpp"
#include "process/syscall_lists.hpp"

namespace assay::process {
namespace {

// What a zygote needs to shut in its children.
constexpr std::array kRefusedToAllButZygotes{SCMP_SYS(unshare), SCMP_SYS(mount)};

constexpr std::array kRefusedAlways{
    // New views of the system: more capabilities or more kernel code within reach.
    SCMP_SYS(setns), SCMP_SYS(umount2), SCMP_SYS(pivot_root), SCMP_SYS(chroot), SCMP_SYS(open_tree),
    SCMP_SYS(move_mount), SCMP_SYS(fsopen), SCMP_SYS(fsconfig), SCMP_SYS(fsmount), SCMP_SYS(fspick),
    SCMP_SYS(mount_setattr), SCMP_SYS(name_to_handle_at), SCMP_SYS(open_by_handle_at),
    SCMP_SYS(quotactl), SCMP_SYS(quotactl_fd), SCMP_SYS(acct), SCMP_SYS(swapon), SCMP_SYS(swapoff),
    // Other processes.
    SCMP_SYS(ptrace), SCMP_SYS(process_vm_readv), SCMP_SYS(process_vm_writev),
    SCMP_SYS(process_madvise), SCMP_SYS(pidfd_getfd), SCMP_SYS(kcmp),
    // Kernel interfaces with a long record of holes, of no use to a kernel or a compiler.
    SCMP_SYS(bpf), SCMP_SYS(perf_event_open), SCMP_SYS(userfaultfd), SCMP_SYS(io_uring_setup),
    SCMP_SYS(io_uring_enter), SCMP_SYS(io_uring_register), SCMP_SYS(keyctl), SCMP_SYS(add_key),
    SCMP_SYS(request_key), SCMP_SYS(fanotify_init), SCMP_SYS(fanotify_mark), SCMP_SYS(vmsplice),
    SCMP_SYS(modify_ldt), SCMP_SYS(uselib), SCMP_SYS(lookup_dcookie), SCMP_SYS(nfsservctl),
    // The machine itself.
    SCMP_SYS(reboot), SCMP_SYS(kexec_load), SCMP_SYS(kexec_file_load), SCMP_SYS(init_module),
    SCMP_SYS(finit_module), SCMP_SYS(delete_module), SCMP_SYS(iopl), SCMP_SYS(ioperm),
    SCMP_SYS(settimeofday), SCMP_SYS(clock_settime), SCMP_SYS(clock_adjtime), SCMP_SYS(adjtimex),
    SCMP_SYS(sethostname), SCMP_SYS(setdomainname), SCMP_SYS(syslog), SCMP_SYS(vhangup)};

constexpr std::array kRefusedWithoutGpu{SCMP_SYS(socket), SCMP_SYS(bind), SCMP_SYS(listen)};

constexpr std::array kRefusedToCompilers{SCMP_SYS(socketpair),
                                         SCMP_SYS(shmget),
                                         SCMP_SYS(semget),
                                         SCMP_SYS(msgget),
                                         SCMP_SYS(mq_open),
                                         SCMP_SYS(mbind),
                                         SCMP_SYS(set_mempolicy),
                                         SCMP_SYS(move_pages),
                                         SCMP_SYS(migrate_pages),
                                         SCMP_SYS(mlock),
                                         SCMP_SYS(mlock2),
                                         SCMP_SYS(mlockall),
                                         SCMP_SYS(sched_setscheduler),
                                         SCMP_SYS(sched_setattr),
                                         SCMP_SYS(inotify_init),
                                         SCMP_SYS(inotify_init1)};

constexpr std::array<std::uint64_t, 7> kNamespaceFlags{CLONE_NEWUSER,  CLONE_NEWNS,  CLONE_NEWPID,
                                                       CLONE_NEWNET,   CLONE_NEWIPC, CLONE_NEWUTS,
                                                       CLONE_NEWCGROUP};

// Since here numbers are the same on all machines, and libraries know kernels that lack the call.
constexpr int kFirstOptional = 436;  // close_range, of Linux 5.9
constexpr int kFirstUnknown = 463;   // up to Linux 6.12; also above: the x32 calls

struct ReleaseFilter {
  void operator()(void* filter) const { ::seccomp_release(filter); }
};
using Filter = std::unique_ptr<std::remove_pointer_t<scmp_filter_ctx>, ReleaseFilter>;

/// Adds rules until one fails, and keeps that failure.
class Rules {
 public:
  explicit Rules(const Filter& filter) : filter_(filter.get()) {}

  void allow(std::span<const int> calls) {
    allowed_.insert(calls.begin(), calls.end());
    for (const int call : calls) add(SCMP_ACT_ALLOW, call, {});
  }
  void allow_if(int call, scmp_arg_cmp condition) { add(SCMP_ACT_ALLOW, call, {&condition, 1}); }
  void refuse(std::span<const int> calls) {
    for (const int call : calls) add(SCMP_ACT_ERRNO(EPERM), call, {});
  }
  void refuse_if(int call, scmp_arg_cmp condition) {
    add(SCMP_ACT_ERRNO(EPERM), call, {&condition, 1});
  }
  /// clone3 hides its flags in memory, where a filter cannot look; told that it does not exist, the
  /// C library uses clone.
  void deny_existence(int call) { add(SCMP_ACT_ERRNO(ENOSYS), call, {}); }
  [[nodiscard]] bool allows(int call) const { return allowed_.contains(call); }
  [[nodiscard]] int failure() const { return failure_; }

 private:
  void add(std::uint32_t action, int call, std::span<const scmp_arg_cmp> conditions) {
    if (failure_ != 0) return;
    failure_ = ::seccomp_rule_add_array(
        filter_, action, call, static_cast<unsigned>(conditions.size()), conditions.data());
  }

  scmp_filter_ctx filter_;
  std::set<int> allowed_;  // whatever their arguments
  int failure_ = 0;
};

bool is_zygote(SyscallPolicy policy) {
  return policy == SyscallPolicy::zygote || policy == SyscallPolicy::gpu_zygote;
}

/// On the processor: what was recorded, and nothing else.
int allow_recorded(const Filter& filter, SyscallPolicy policy) {
  Rules rules(filter);
  rules.allow(kOfEveryProgram);
  if (policy != SyscallPolicy::compiler) rules.allow(kOfRunners);
  if (policy == SyscallPolicy::python || policy == SyscallPolicy::zygote) {
    rules.allow(kOfPython);
    rules.allow_if(SCMP_SYS(socketpair),
                   {.arg = 0, .op = SCMP_CMP_EQ, .datum_a = AF_UNIX, .datum_b = 0});
  }
  if (policy == SyscallPolicy::zygote) rules.allow(kOfZygotes);
  std::uint64_t namespaces = 0;
  for (const std::uint64_t flag : kNamespaceFlags) namespaces |= flag;
  rules.allow_if(SCMP_SYS(clone),
                 {.arg = 0, .op = SCMP_CMP_MASKED_EQ, .datum_a = namespaces, .datum_b = 0});
  // Whether it is a terminal, how much there is to read, and what every file has. No driver.
  constexpr std::array<std::uint64_t, 7> kHarmless{TCGETS,  TIOCGWINSZ, TIOCGPGRP, FIONREAD,
                                                   FIONBIO, FIOCLEX,    FIONCLEX};
  for (const std::uint64_t request : kHarmless) {
    rules.allow_if(SCMP_SYS(ioctl),
                   {.arg = 1, .op = SCMP_CMP_MASKED_EQ, .datum_a = 0xffffffff, .datum_b = request});
  }
  // Asking, and doing without random addresses, which sanitizers and compilers do.
  constexpr std::array<std::uint64_t, 3> kPersonalities{0xffffffff, ADDR_NO_RANDOMIZE, 0};
  for (const std::uint64_t wanted : kPersonalities) {
    rules.allow_if(SCMP_SYS(personality),
                   {.arg = 0, .op = SCMP_CMP_MASKED_EQ, .datum_a = 0xffffffff, .datum_b = wanted});
  }
  rules.deny_existence(SCMP_SYS(clone3));
  // As on an older kernel, so that libraries fall back on what is allowed.
  for (int call = kFirstOptional; call < kFirstUnknown; ++call) {
    if (!rules.allows(call)) rules.deny_existence(call);
  }
  return rules.failure();
}

/// On a GPU: everything but what is known to be dangerous. The driver's library is nobody's to
/// read, and asks for what it likes from one version to the next.
int refuse_known(const Filter& filter, SyscallPolicy policy) {
  Rules rules(filter);
  rules.refuse(kRefusedAlways);
  // Sockets: those inherited keep working, new ones reach nobody.
  if (policy != SyscallPolicy::gpu_profiler) rules.refuse(std::array{SCMP_SYS(connect)});
  if (!is_zygote(policy)) rules.refuse(kRefusedToAllButZygotes);
  rules.deny_existence(SCMP_SYS(clone3));
  for (const std::uint64_t flag : kNamespaceFlags) {
    rules.refuse_if(SCMP_SYS(clone),
                    {.arg = 0, .op = SCMP_CMP_MASKED_EQ, .datum_a = flag, .datum_b = flag});
  }
  // Pushes characters into the terminal of whoever started the server. The kernel looks at 32 bits.
  rules.refuse_if(SCMP_SYS(ioctl),
                  {.arg = 1, .op = SCMP_CMP_MASKED_EQ, .datum_a = 0xffffffff, .datum_b = TIOCSTI});
  const scmp_arg_cmp is_not_local{.arg = 0, .op = SCMP_CMP_NE, .datum_a = AF_UNIX, .datum_b = 0};
  if (policy == SyscallPolicy::gpu_compiler) {
    rules.refuse(kRefusedToCompilers);
  } else {
    rules.refuse_if(SCMP_SYS(socketpair), is_not_local);
  }
  if (policy == SyscallPolicy::gpu_runner || policy == SyscallPolicy::gpu_zygote) {
    // CUDA listens on one of its own, to hand its memory manager to other processes.
    rules.refuse_if(SCMP_SYS(socket), is_not_local);
  } else if (policy == SyscallPolicy::gpu_profiler) {
    // Local, of the jail's own network, or asking it for its interfaces. Other families reach the
    // machine itself, or kernel code of no use here.
    for (std::uint64_t family = AF_UNIX + 1; family < AF_NETLINK; ++family) {
      if (family == AF_INET || family == AF_INET6) continue;
      rules.refuse_if(SCMP_SYS(socket),
                      {.arg = 0, .op = SCMP_CMP_EQ, .datum_a = family, .datum_b = 0});
    }
    rules.refuse_if(SCMP_SYS(socket),
                    {.arg = 0, .op = SCMP_CMP_GT, .datum_a = AF_NETLINK, .datum_b = 0});
  } else {
    rules.refuse(kRefusedWithoutGpu);
  }
  return rules.failure();
}

/// Calls newer than this list answer ENOSYS, as on an older kernel, until somebody has judged them.
std::string refuse_unknown_calls() {
#if defined(__x86_64__)
  const std::array program{
      sock_filter(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch))),
      sock_filter(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 0, 3)),
      sock_filter(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))),
      sock_filter(BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, kFirstUnknown, 0, 1)),
      sock_filter(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS)),
  };
  return {reinterpret_cast<const char*>(program.data()), sizeof(program)};
#else
  return {};
#endif
}

Result<std::string> compile(const Filter& filter) {
  const UniqueFd file(::memfd_create("seccomp", MFD_CLOEXEC));
  if (!file) return std::unexpected(errno_error("memfd_create"));
  if (const int failed = ::seccomp_export_bpf(filter.get(), file.get()); failed != 0) {
    errno = -failed;
    return std::unexpected(errno_error("compile the system call filter"));
  }
  std::string program(static_cast<std::size_t>(::lseek(file.get(), 0, SEEK_CUR)), '\0');
  if (::pread(file.get(), program.data(), program.size(), 0) !=
      static_cast<ssize_t>(program.size())) {
    return std::unexpected(errno_error("read the system call filter"));
  }
  return program;
}

}  // namespace

Result<std::string> seccomp_program(SyscallPolicy policy) {
  const bool recorded = is_recorded(policy);
  const Filter filter(::seccomp_init(recorded ? SCMP_ACT_ERRNO(EPERM) : SCMP_ACT_ALLOW));
  if (!filter) return fail(ErrorCode::internal, "seccomp_init failed");
  // A binary tree: some ten comparisons a system call instead of seventy.
  int failed = ::seccomp_attr_set(filter.get(), SCMP_FLTATR_CTL_OPTIMIZE, 2);
  if (failed == 0) {
    failed = recorded ? allow_recorded(filter, policy) : refuse_known(filter, policy);
  }
  if (failed != 0) {
    errno = -failed;
    return std::unexpected(errno_error("build the system call filter"));
  }
  ASSAY_TRY(std::string program, compile(filter));
  return refuse_unknown_calls() + program;
}

}  // namespace assay::process
