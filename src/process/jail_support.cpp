#include "process/jail_support.hpp"

#include <algorithm>
#include <expected>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/result.hpp"
#include "process/cgroup_tree.hpp"
#include "process/jail_probe.hpp"
#include "process/jail_profile.hpp"
#include "process/landlock.hpp"
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
  std::map<SyscallPolicy, std::string> filters;
  for (const SyscallPolicy policy : kSyscallPolicies) {
    auto program = seccomp_program(policy);
    if (program) tried = try_seccomp(*program);
    if (!program) tried = std::unexpected(std::move(program).error());
    if (!tried) break;
    filters[policy] = *std::move(program);
  }
  support.parts.push_back(status_of(JailPart::seccomp, tried));
  if (tried) support.filters = std::move(filters);
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
  support.landlock = landlock_version();
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

std::string JailSupport::filter(SyscallPolicy policy) const {
  const auto found = filters.find(policy);
  return found == filters.end() ? std::string() : found->second;
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
