#include "process/jail_support.hpp"

#include <algorithm>
#include <expected>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/result.hpp"
#include "process/cgroup_tree.hpp"
#include "process/jail_probe.hpp"
#include "process/jail_profile.hpp"
#include "process/seccomp_filter.hpp"
#include "process/subprocess.hpp"

namespace assay::process {
namespace {

std::string_view cost_of(JailPart part) {
  switch (part) {
    case JailPart::user_namespace:
      return "jailed programs run as an ordinary user of this machine";
    case JailPart::mount_namespace:
      return "jailed programs see this machine's files, as far as their permissions go";
    case JailPart::pid_namespace:
      return "a program that kills its supervisor can leave processes behind";
    case JailPart::network_namespace:
      return "only the system call filter keeps jailed programs off the network";
    case JailPart::ipc_namespace:
      return "jailed programs share System V memory with this machine";
    case JailPart::uts_namespace:
      return "jailed programs see this machine's name";
    case JailPart::private_proc:
      return "jailed programs see the names of this machine's processes";
    case JailPart::seccomp:
      return "jailed programs can use every system call and open sockets";
    case JailPart::cgroup_memory:
      return "only the private memory of each process is limited (RLIMIT_DATA), not that of the "
             "jail as a whole, and exhausting it looks like a crash";
    case JailPart::cgroup_pids:
      return "processes are counted for the whole user (RLIMIT_NPROC), not for the jail";
  }
  std::unreachable();
}

JailPartStatus status_of(JailPart part, const Result<std::string>& tried) {
  if (tried) return {.part = part, .available = true, .detail = *tried, .cost = {}};
  return {.part = part,
          .available = false,
          .detail = tried.error().message(),
          .cost = std::string(cost_of(part))};
}

void add_filters(JailSupport& support) {
  Result<std::string> tried = std::string();
  auto compiler = seccomp_program(SyscallPolicy::compiler);
  auto runner = seccomp_program(SyscallPolicy::runner);
  auto zygote = seccomp_program(SyscallPolicy::zygote);
  auto gpu_runner = seccomp_program(SyscallPolicy::gpu_runner);
  auto gpu_zygote = seccomp_program(SyscallPolicy::gpu_zygote);
  auto gpu_profiler = seccomp_program(SyscallPolicy::gpu_profiler);
  for (const auto* program :
       {&compiler, &runner, &zygote, &gpu_runner, &gpu_zygote, &gpu_profiler}) {
    if (!*program) tried = std::unexpected(program->error());
  }
  if (tried) tried = try_seccomp(*runner);
  support.parts.push_back(status_of(JailPart::seccomp, tried));
  if (!tried) return;
  support.compiler_filter = *std::move(compiler);
  support.runner_filter = *std::move(runner);
  support.zygote_filter = *std::move(zygote);
  support.gpu_runner_filter = *std::move(gpu_runner);
  support.gpu_zygote_filter = *std::move(gpu_zygote);
  support.gpu_profiler_filter = *std::move(gpu_profiler);
}

JailSupport probe_parts(const Result<std::string>& user) {
  using enum JailPart;
  JailSupport support;
  support.parts.push_back(status_of(user_namespace, user));
  for (const JailPart part : {mount_namespace, pid_namespace, network_namespace, ipc_namespace,
                              uts_namespace, private_proc}) {
    support.parts.push_back(status_of(part, try_namespace(part, user.has_value())));
  }
  add_filters(support);
  support.cgroups = find_cgroup_tree();
  sweep_dead_groups(support.cgroups);
  const auto memory = try_cgroup(support.cgroups, cgroup_memory);
  const auto pids = try_cgroup(support.cgroups, cgroup_pids);
  if (!memory) support.cgroups.memory.reset();
  if (!pids) support.cgroups.pids.reset();
  support.parts.push_back(status_of(cgroup_memory, memory));
  support.parts.push_back(status_of(cgroup_pids, pids));
  return support;
}

Result<void> rehearse(const JailSupport& support) {
  Command nothing;
  nothing.jail = JailProfile{.name = "rehearsal"};
  auto jail = Subprocess::spawn(nothing, support);
  if (!jail) return std::unexpected(std::move(jail).error());
  return {};
}

}  // namespace

std::string_view to_string(JailPart part) {
  switch (part) {
    case JailPart::user_namespace:
      return "user_namespace";
    case JailPart::mount_namespace:
      return "mount_namespace";
    case JailPart::pid_namespace:
      return "pid_namespace";
    case JailPart::network_namespace:
      return "network_namespace";
    case JailPart::ipc_namespace:
      return "ipc_namespace";
    case JailPart::uts_namespace:
      return "uts_namespace";
    case JailPart::private_proc:
      return "private_proc";
    case JailPart::seccomp:
      return "seccomp";
    case JailPart::cgroup_memory:
      return "cgroup_memory";
    case JailPart::cgroup_pids:
      return "cgroup_pids";
  }
  std::unreachable();
}

const std::string& JailSupport::filter(SyscallPolicy policy) const {
  switch (policy) {
    case SyscallPolicy::compiler:
      return compiler_filter;
    case SyscallPolicy::runner:
      return runner_filter;
    case SyscallPolicy::zygote:
      return zygote_filter;
    case SyscallPolicy::gpu_runner:
      return gpu_runner_filter;
    case SyscallPolicy::gpu_zygote:
      return gpu_zygote_filter;
    case SyscallPolicy::gpu_profiler:
      return gpu_profiler_filter;
  }
  std::unreachable();
}

bool JailSupport::has(JailPart part) const {
  return std::ranges::any_of(
      parts, [&](const JailPartStatus& status) { return status.part == part && status.available; });
}

bool JailSupport::complete() const {
  return !parts.empty() && std::ranges::all_of(parts, &JailPartStatus::available);
}

std::vector<JailPartStatus> JailSupport::missing() const {
  std::vector<JailPartStatus> result;
  std::ranges::copy_if(parts, std::back_inserter(result),
                       [](const JailPartStatus& status) { return !status.available; });
  return result;
}

JailSupport probe_jail_support() {
  const auto user_namespace = try_user_namespace();
  JailSupport support = probe_parts(user_namespace);
  auto rehearsed = rehearse(support);
  if (rehearsed) return support;
  // Some systems allow a user namespace and then refuse everything inside it.
  if (user_namespace) {
    support = probe_parts(std::unexpected(rehearsed.error()));
    rehearsed = rehearse(support);
    if (rehearsed) return support;
  }
  for (JailPartStatus& status : support.parts) {
    status = status_of(status.part, std::unexpected(rehearsed.error()));
  }
  support.cgroups = {};
  return support;
}

}  // namespace assay::process
