#include "process/seccomp_filter.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "base/testkit/checkout.hpp"
#include "process/jail_profile.hpp"
#include "process/syscall_lists.hpp"

namespace assay::process {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kMachine = AUDIT_ARCH_X86_64;
#else
constexpr std::uint32_t kMachine = AUDIT_ARCH_AARCH64;
#endif
constexpr std::uint32_t kAllowed = SECCOMP_RET_ALLOW;
constexpr std::uint32_t kForbidden = SECCOMP_RET_ERRNO | EPERM;
constexpr std::uint32_t kUnknown = SECCOMP_RET_ERRNO | ENOSYS;
constexpr int kPastLast = 600;

bool jumps(const sock_filter& step, std::uint32_t value) {
  switch (BPF_OP(step.code)) {
    case BPF_JEQ:
      return value == step.k;
    case BPF_JGE:
      return value >= step.k;
    case BPF_JGT:
      return value > step.k;
    case BPF_JSET:
      return (value & step.k) != 0;
    default:
      ADD_FAILURE() << "a comparison that no filter of ours makes: " << step.code;
      return false;
  }
}

/// What a filter answers, worked out as the kernel does.
class Answers {
 public:
  explicit Answers(SyscallPolicy policy) {
    const std::string bytes = seccomp_program(policy).value();
    program_.resize(bytes.size() / sizeof(sock_filter));
    std::memcpy(program_.data(), bytes.data(), bytes.size());
  }

  [[nodiscard]] std::uint32_t to(int call, const std::array<std::uint64_t, 6>& arguments = {},
                                 std::uint32_t machine = kMachine) const {
    seccomp_data asked{};
    asked.nr = call;
    asked.arch = machine;
    std::ranges::copy(arguments, asked.args);
    std::uint32_t value = 0;
    for (std::size_t at = 0; at < program_.size(); ++at) {
      const sock_filter& step = program_[at];
      switch (BPF_CLASS(step.code)) {
        case BPF_LD:
          std::memcpy(&value, reinterpret_cast<const char*>(&asked) + step.k, sizeof(value));
          break;
        case BPF_ALU:
          EXPECT_EQ(BPF_OP(step.code), BPF_AND);
          value &= step.k;
          break;
        case BPF_JMP:
          at += BPF_OP(step.code) == BPF_JA ? step.k : jumps(step, value) ? step.jt : step.jf;
          break;
        case BPF_RET:
          return step.k;
        default:
          ADD_FAILURE() << "a step that no filter of ours has: " << step.code;
          return 0;
      }
    }
    ADD_FAILURE() << "a filter without an end";
    return 0;
  }

 private:
  std::vector<sock_filter> program_;
};

std::set<int> listed(SyscallPolicy policy) {
  std::set<int> calls;
  const auto add = [&](std::span<const int> list) { calls.insert(list.begin(), list.end()); };
  add(kOfEveryProgram);
  if (policy != SyscallPolicy::compiler) add(kOfRunners);
  if (policy == SyscallPolicy::python || policy == SyscallPolicy::zygote) add(kOfPython);
  if (policy == SyscallPolicy::zygote) add(kOfZygotes);
  return calls;
}

std::string name_of(int call) {
  char* name = ::seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, call);
  std::string result = name == nullptr ? "call " + std::to_string(call) : name;
  std::free(name);
  return result;
}

constexpr std::array kOnProcessor{SyscallPolicy::compiler, SyscallPolicy::runner,
                                  SyscallPolicy::python, SyscallPolicy::zygote};

TEST(SeccompFilter, is_a_program_the_kernel_accepts_in_size) {
  for (const SyscallPolicy policy : kSyscallPolicies) {
    const std::string program = seccomp_program(policy).value();
    EXPECT_EQ(program.size() % sizeof(sock_filter), 0U);
    EXPECT_LE(program.size() / sizeof(sock_filter), std::size_t{BPF_MAXINSNS});
  }
}

TEST(SeccompFilter, on_the_processor_refuses_every_call_that_is_not_listed) {
  for (const SyscallPolicy policy : kOnProcessor) {
    const Answers answers(policy);
    const std::set<int> allowed = listed(policy);
    for (int call = 0; call < kPastLast; ++call) {
      if (allowed.contains(call)) {
        EXPECT_EQ(answers.to(call), kAllowed) << name_of(call);
      } else if (call != SCMP_SYS(clone) && call != SCMP_SYS(personality)) {
        EXPECT_NE(answers.to(call), kAllowed) << name_of(call);
      }
    }
  }
}

TEST(SeccompFilter, on_the_processor_answers_new_calls_as_a_kernel_without_them) {
  for (const SyscallPolicy policy : kOnProcessor) {
    const Answers answers(policy);
    EXPECT_EQ(answers.to(SCMP_SYS(clone3)), kUnknown);
    EXPECT_EQ(answers.to(452 /* fchmodat2 */), kUnknown);
    EXPECT_EQ(answers.to(500), kUnknown);
    EXPECT_EQ(answers.to(SCMP_SYS(bpf)), kForbidden);
  }
}

TEST(SeccompFilter, on_the_processor_allows_what_was_recorded) {
  const auto check = [](SyscallPolicy policy, const std::string& kind) {
    const auto path = testkit::source_dir() / "src/process/recorded" / (kind + ".txt");
    std::ifstream file(path);
    const Answers answers(policy);
    const std::set<std::string> by_argument{"clone", "ioctl", "personality", "socketpair"};
    std::size_t count = 0;
    for (std::string name; std::getline(file, name);) {
      if (name.starts_with('#') || by_argument.contains(name)) continue;
      const int call = ::seccomp_syscall_resolve_name(name.c_str());
      EXPECT_TRUE(name == "clone3" || answers.to(call) == kAllowed) << kind << ": " << name;
      ++count;
    }
    EXPECT_GT(count, 20U) << path;
  };
  check(SyscallPolicy::compiler, "compiler");
  check(SyscallPolicy::runner, "runner");
  check(SyscallPolicy::python, "python");
  check(SyscallPolicy::zygote, "zygote");
}

TEST(SeccompFilter, looks_at_the_arguments_of_calls_that_can_do_more_than_one_thing) {
  for (const SyscallPolicy policy : kOnProcessor) {
    const Answers answers(policy);
    EXPECT_EQ(answers.to(SCMP_SYS(clone), {CLONE_VM | CLONE_FS}), kAllowed);
    constexpr std::array<std::uint64_t, 7> kNamespaces{CLONE_NEWUSER,  CLONE_NEWNS,  CLONE_NEWPID,
                                                       CLONE_NEWNET,   CLONE_NEWIPC, CLONE_NEWUTS,
                                                       CLONE_NEWCGROUP};
    for (const std::uint64_t flag : kNamespaces) {
      EXPECT_EQ(answers.to(SCMP_SYS(clone), {flag | CLONE_VM}), kForbidden) << flag;
    }
    EXPECT_EQ(answers.to(SCMP_SYS(ioctl), {0, TCGETS}), kAllowed);
    EXPECT_EQ(answers.to(SCMP_SYS(ioctl), {0, TIOCSTI}), kForbidden);
    // The kernel looks at 32 bits, so the others must not hide anything.
    EXPECT_EQ(answers.to(SCMP_SYS(ioctl), {0, (std::uint64_t{1} << 32U) | TIOCSTI}), kForbidden);
    EXPECT_EQ(answers.to(SCMP_SYS(personality), {0xffffffff}), kAllowed);
    EXPECT_EQ(answers.to(SCMP_SYS(personality), {0x0400000 /* READ_IMPLIES_EXEC */}), kForbidden);
    const bool pairs = policy == SyscallPolicy::python || policy == SyscallPolicy::zygote;
    EXPECT_EQ(answers.to(SCMP_SYS(socketpair), {AF_UNIX}), pairs ? kAllowed : kForbidden);
    EXPECT_EQ(answers.to(SCMP_SYS(socketpair), {AF_TIPC}), kForbidden);
  }
}

TEST(SeccompFilter, of_each_kind_allows_what_it_alone_needs) {
  const auto allowed = [](SyscallPolicy policy, int call) {
    return Answers(policy).to(call) == kAllowed;
  };
  EXPECT_FALSE(allowed(SyscallPolicy::compiler, SCMP_SYS(sendmsg)));
  EXPECT_TRUE(allowed(SyscallPolicy::runner, SCMP_SYS(sendmsg)));
  EXPECT_FALSE(allowed(SyscallPolicy::runner, SCMP_SYS(epoll_create1)));
  EXPECT_TRUE(allowed(SyscallPolicy::python, SCMP_SYS(epoll_create1)));
  EXPECT_FALSE(allowed(SyscallPolicy::python, SCMP_SYS(unshare)));
  EXPECT_TRUE(allowed(SyscallPolicy::zygote, SCMP_SYS(unshare)));
}

TEST(SeccompFilter, refuses_the_calls_of_other_machines) {
#if defined(__x86_64__)
  for (const SyscallPolicy policy : kSyscallPolicies) {
    const Answers answers(policy);
    const std::uint32_t answer = answers.to(20 /* getpid */, {}, AUDIT_ARCH_I386);
    EXPECT_NE(answer, kAllowed);
    EXPECT_EQ(answers.to(0x40000000 + SCMP_SYS(getpid)), kUnknown);
  }
#endif
}

TEST(SeccompFilter, on_a_gpu_refuses_what_is_known_to_be_dangerous) {
  for (const SyscallPolicy policy : {SyscallPolicy::gpu_compiler, SyscallPolicy::gpu_runner,
                                     SyscallPolicy::gpu_zygote, SyscallPolicy::gpu_profiler}) {
    const Answers answers(policy);
    for (const int call : {SCMP_SYS(ptrace), SCMP_SYS(bpf), SCMP_SYS(keyctl), SCMP_SYS(setns),
                           SCMP_SYS(io_uring_setup), SCMP_SYS(userfaultfd)}) {
      EXPECT_EQ(answers.to(call), kForbidden) << name_of(call);
    }
    EXPECT_EQ(answers.to(SCMP_SYS(read)), kAllowed);
  }
  EXPECT_EQ(Answers(SyscallPolicy::gpu_compiler).to(SCMP_SYS(socket), {AF_UNIX}), kForbidden);
  EXPECT_EQ(Answers(SyscallPolicy::gpu_runner).to(SCMP_SYS(socket), {AF_UNIX}), kAllowed);
}

}  // namespace
}  // namespace assay::process
