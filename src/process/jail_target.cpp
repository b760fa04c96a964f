#include "process/jail_target.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/unique_fd.hpp"
#include "process/clone_child.hpp"
#include "process/jail_plan.hpp"
#include "process/jail_profile.hpp"
#include "process/landlock.hpp"

namespace assay::process {
namespace {

struct ResourceLimit {
  int resource;
  rlimit64 value;
};

struct Placement {
  int from;
  int to;
};

/// Everything the child needs, made beforehand: it may only make system calls.
struct TargetStart {
  std::vector<char*> argv;
  std::vector<char*> environment;
  const char* working_directory;
  std::vector<Placement> placements;
  std::vector<ResourceLimit> limits;
  sock_fprog filter{};
  int landlock = -1;  // rules, or none
  // Written by the child.
  const char* step = nullptr;
  int error_number = 0;
  bool at_exec = false;
};

ASSAY_IN_CHILD bool worked(TargetStart& start, const char* step, long result) {
  if (result >= 0) return true;
  start.step = step;
  start.error_number = errno;
  return false;
}

ASSAY_IN_CHILD bool place_descriptors(TargetStart& start) {
  // Whatever is open and not listed goes at exec. Kernels before 5.11 refuse, and then this is
  // only a second fence: everything of ours is close-on-exec already.
  ::syscall(SYS_close_range, 3U, ~0U, 1U << 2U /* CLOSE_RANGE_CLOEXEC */);
  const Placement* placement = start.placements.data();
  for (std::size_t left = start.placements.size(); left > 0; --left, ++placement) {
    if (!worked(start, "place a descriptor",
                ::syscall(SYS_dup3, placement->from, placement->to, 0))) {
      return false;
    }
  }
  return true;
}

ASSAY_IN_CHILD bool set_limits(TargetStart& start) {
  const ResourceLimit* limit = start.limits.data();
  for (std::size_t left = start.limits.size(); left > 0; --left, ++limit) {
    if (!worked(start, "set a resource limit",
                ::syscall(SYS_prlimit64, 0, limit->resource, &limit->value, nullptr))) {
      return false;
    }
  }
  return true;
}

ASSAY_IN_CHILD int run_target(void* argument) {
  TargetStart& start = *static_cast<TargetStart*>(argument);
  ::syscall(SYS_setsid);
  ::syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);  // init has one thread
  if (!place_descriptors(start) || !set_limits(start)) return 1;
  if (start.working_directory != nullptr &&
      !worked(start, "enter the working directory",
              ::syscall(SYS_chdir, start.working_directory))) {
    return 1;
  }
  const std::uint64_t no_signals = 0;
  ::syscall(SYS_rt_sigprocmask, SIG_SETMASK, &no_signals, nullptr, sizeof(no_signals));
  if (start.landlock >= 0 && !worked(start, "restrict it by Landlock",
                                     ::syscall(SYS_landlock_restrict_self, start.landlock, 0))) {
    return 1;
  }
  if (start.filter.len > 0 &&
      !worked(start, "install the system call filter",
              ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &start.filter))) {
    return 1;
  }
  const long result =
      ::syscall(SYS_execve, start.argv.data()[0], start.argv.data(), start.environment.data());
  start.at_exec = !worked(start, "exec", result);
  return 1;
}

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> result;
  result.reserve(strings.size() + 1);
  for (const std::string& string : strings) result.push_back(const_cast<char*>(string.c_str()));
  result.push_back(nullptr);
  return result;
}

ResourceLimit limit_to(int resource, std::uint64_t soft, std::uint64_t hard) {
  rlimit64 current{};
  ::syscall(SYS_prlimit64, 0, resource, nullptr, &current);
  return {
      resource,
      {.rlim_cur = std::min(soft, current.rlim_max), .rlim_max = std::min(hard, current.rlim_max)}};
}

std::vector<ResourceLimit> resource_limits(const JailPlan& plan) {
  if (!plan.restrict) return {};
  const Limits& limits = plan.limits;
  const auto seconds = static_cast<std::uint64_t>(limits.cpu_time.count());
  std::vector<ResourceLimit> result{
      limit_to(RLIMIT_CORE, 0, 0), limit_to(RLIMIT_FSIZE, limits.file_bytes, limits.file_bytes),
      limit_to(RLIMIT_NOFILE, limits.open_files, limits.open_files),
      limit_to(RLIMIT_CPU, seconds, seconds + 1),  // SIGXCPU, and SIGKILL if that is ignored
  };
  if (plan.limit_private_memory) {
    // Not RLIMIT_AS: CUDA and others reserve address space that they never use.
    result.push_back(limit_to(RLIMIT_DATA, limits.memory_bytes, limits.memory_bytes));
  }
  if (plan.limit_user_processes) {
    result.push_back(limit_to(RLIMIT_NPROC, limits.processes, limits.processes));
  }
  return result;
}

/// Out of the way of every number the program is to have, so that placing one overwrites none.
bool move_above(std::vector<UniqueFd>& descriptors, int highest) {
  for (UniqueFd& descriptor : descriptors) {
    const int moved = ::fcntl(descriptor.get(), F_DUPFD_CLOEXEC, highest + 1);
    if (moved < 0) return false;
    descriptor.reset(moved);
  }
  return true;
}

}  // namespace

std::expected<pid_t, TargetFailure> start_target(const JailPlan& plan,
                                                 std::vector<UniqueFd> descriptors) {
  std::vector<int> numbers = plan.descriptor_numbers;
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (std::ranges::find(numbers, standard) != numbers.end()) continue;
    numbers.push_back(standard);
    descriptors.emplace_back(::open("/dev/null", O_RDWR | O_CLOEXEC));
  }
  const int highest = *std::ranges::max_element(numbers);
  if (!move_above(descriptors, highest)) {
    return std::unexpected(
        TargetFailure{.step = "move a descriptor", .error_number = errno, .at_exec = false});
  }
  UniqueFd landlock;
  if (plan.landlock > 0) {
    const auto rules = landlock_rules(plan);
    if (rules) landlock.reset(::fcntl(rules->get(), F_DUPFD_CLOEXEC, highest + 1));
    if (!landlock) {
      return std::unexpected(TargetFailure{
          .step = "make the Landlock rules", .error_number = errno, .at_exec = false});
    }
  }
  TargetStart start{.argv = pointers(plan.argv),
                    .environment = pointers(plan.environment),
                    .working_directory =
                        plan.working_directory.empty() ? nullptr : plan.working_directory.c_str(),
                    .placements = {},
                    .limits = resource_limits(plan)};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    start.placements.push_back({descriptors[i].get(), numbers[i]});
  }
  std::string program = plan.seccomp_program;
  start.filter.len = static_cast<unsigned short>(program.size() / sizeof(sock_filter));
  start.filter.filter = reinterpret_cast<sock_filter*>(program.data());
  start.landlock = landlock.get();
  const auto child = clone_child({.entry = run_target, .argument = &start});
  if (!child)
    return std::unexpected(
        TargetFailure{.step = "start the program", .error_number = EAGAIN, .at_exec = false});
  if (start.step != nullptr) {
    (void)reap(child->pid);
    return std::unexpected(TargetFailure{
        .step = start.step, .error_number = start.error_number, .at_exec = start.at_exec});
  }
  return child->pid;
}

}  // namespace assay::process
