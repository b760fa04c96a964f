#include "process/cgroup_tree.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/group_name.hpp"
#include "base/os.hpp"
#include "base/random.hpp"
#include "base/result.hpp"
#include "process/cgroup_files.hpp"

namespace assay::process {
namespace {

namespace fs = std::filesystem;

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

bool contains(const std::vector<std::string_view>& parts, std::string_view wanted) {
  return std::ranges::find(parts, wanted) != parts.end();
}

struct CgroupMount {
  std::string_view root;  // the group that is shown at the mount point
  std::string_view point;
};

/// A line of mountinfo: id parent device ROOT POINT options optional... - TYPE source SUPEROPTIONS
std::optional<CgroupMount> find_mount(std::string_view mountinfo, std::string_view controller) {
  for (const std::string_view line : split(mountinfo, '\n')) {
    const std::vector<std::string_view> fields = split(line, ' ');
    const auto dash = std::ranges::find(fields, "-");
    if (fields.size() < 5 || fields.end() - dash < 4) continue;
    const bool wanted = controller.empty()
                            ? dash[1] == "cgroup2"
                            : dash[1] == "cgroup" && contains(split(dash[3], ','), controller);
    if (wanted) return CgroupMount{.root = fields[3], .point = fields[4]};
  }
  return std::nullopt;
}

/// A line of /proc/self/cgroup: number:controllers:path
std::optional<std::string_view> find_membership(std::string_view membership,
                                                std::string_view controller) {
  for (const std::string_view line : split(membership, '\n')) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == line.npos || second == line.npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const bool wanted = controller.empty() ? line.starts_with("0::")
                                           : contains(split(controllers, ','), controller);
    if (wanted) return line.substr(second + 1);
  }
  return std::nullopt;
}

bool enables(const fs::path& group, std::string_view controller) {
  const auto text = read_file(group / "cgroup.subtree_control");
  return text &&
         contains(split(std::string_view(*text).substr(0, text->find('\n')), ' '), controller);
}

Result<void> enable_controllers(const fs::path& group) {
  if (enables(group, "memory") && enables(group, "pids")) return {};
  return write_cgroup_file(group / "cgroup.subtree_control", "+memory +pids");
}

/// Where that is allowed. Jails are whole without.
void enable_shares(const fs::path& group) {
  for (const char* controller : {"cpu", "io"}) {
    if (enables(group, controller)) continue;
    (void)write_cgroup_file(group / "cgroup.subtree_control", std::string("+") + controller);
  }
}

bool writable(const fs::path& directory) {
  return ::faccessat(AT_FDCWD, directory.c_str(), W_OK, AT_EACCESS) == 0;
}

std::optional<CgroupParent> find_v1(const std::string& mountinfo, const std::string& membership,
                                    std::string_view controller, std::string& reason) {
  auto own = own_cgroup(mountinfo, membership, controller);
  if (own) own = outside_of_ours(*std::move(own));
  if (own && !writable(*own)) {
    own = fail(ErrorCode::unavailable, own->string() + " is not writable");
  }
  if (!own) {
    reason += (reason.empty() ? "v1: " : "; v1: ") + own.error().message();
    return std::nullopt;
  }
  return CgroupParent{.version = CgroupParent::Version::v1, .directory = *own};
}

/// Field 22 of /proc/PID/stat: with the pid, it names a process for as long as the machine runs.
std::optional<std::uint64_t> start_time(std::uint64_t pid) {
  const auto stat = read_file(fmt::format("/proc/{}/stat", pid));
  if (!stat) return std::nullopt;
  // The second field is a name in parentheses that may hold anything.
  const std::size_t name_end = stat->rfind(") ");
  if (name_end == std::string::npos) return std::nullopt;
  const auto fields = split(std::string_view(*stat).substr(name_end + 2), ' ');
  constexpr std::size_t kStartTime = 22 - 3;
  if (fields.size() <= kStartTime) return std::nullopt;
  std::uint64_t time = 0;
  const std::string_view text = fields[kStartTime];
  std::from_chars(text.data(), text.data() + text.size(), time);
  return time;
}

bool owner_is_dead(std::string_view group) {
  const auto name = GroupName::parse(group);
  return name && start_time(name->pid) != name->started;
}

}  // namespace

fs::path outside_of_ours(fs::path group) {
  while (GroupName::parse(group.filename().string())) group = group.parent_path();
  return group;
}

Result<fs::path> own_cgroup(std::string_view mountinfo, std::string_view membership,
                            std::string_view controller) {
  const auto mount = find_mount(mountinfo, controller);
  const auto path = find_membership(membership, controller);
  const std::string what(controller.empty() ? "unified hierarchy" : controller);
  if (!mount) return fail(ErrorCode::not_found, "no cgroup mount for the " + what);
  if (!path) return fail(ErrorCode::not_found, "this process is in no group of the " + what);
  // Inside a container the mount may show only a part of the groups, and not always ours.
  const fs::path below = fs::path(*path).lexically_relative(mount->root);
  if (below.empty() || *below.begin() == "..") {
    return fail(ErrorCode::unavailable,
                fmt::format("our group {} of the {} is not below {}, all that is mounted", *path,
                            what, mount->root));
  }
  return below == "." ? fs::path(mount->point) : fs::path(mount->point) / below;
}

Result<fs::path> delegate_v2(const fs::path& own, const fs::path& mount_point) {
  ASSAY_TRY(const std::string offered, read_file(own / "cgroup.controllers"));
  const auto controllers = split(std::string_view(offered).substr(0, offered.find('\n')), ' ');
  if (!contains(controllers, "memory") || !contains(controllers, "pids")) {
    return fail(ErrorCode::unavailable,
                own.string() + " does not offer the memory and pids controllers");
  }
  if (!writable(own)) return fail(ErrorCode::unavailable, own.string() + " is not writable");
  if (enable_controllers(own)) return own;

  ASSAY_TRY(const std::string members, read_file(own / "cgroup.procs"));
  const std::string self = std::to_string(::getpid());
  if (members == self + "\n") {
    const fs::path leaf = own / new_group_name();
    std::error_code error;
    fs::create_directory(leaf, error);
    if (auto moved = write_cgroup_file(leaf / "cgroup.procs", self); !moved) {
      return std::unexpected(std::move(moved).error());
    }
    if (auto enabled = enable_controllers(own); !enabled) {
      return std::unexpected(std::move(enabled).error());
    }
    return own;
  }
  fs::path parent = own.parent_path();
  if (own == mount_point || !writable(parent)) {
    return fail(ErrorCode::unavailable,
                own.string() + " holds other processes, so it cannot have groups of its own");
  }
  if (auto enabled = enable_controllers(parent); !enabled) {
    return std::unexpected(std::move(enabled).error());
  }
  return parent;
}

CgroupTree find_cgroup_tree() {
  const std::string mountinfo = read_file("/proc/self/mountinfo").value_or("");
  const std::string membership = read_file("/proc/self/cgroup").value_or("");
  CgroupTree tree;
  auto unified = own_cgroup(mountinfo, membership, "");
  const auto mount = find_mount(mountinfo, "");
  if (unified && mount) {
    unified = delegate_v2(outside_of_ours(*std::move(unified)), fs::path(mount->point));
  }
  if (unified) {
    tree.memory = {.version = CgroupParent::Version::v2, .directory = *unified};
    tree.pids = tree.memory;
    enable_shares(*unified);
    if (enables(*unified, "cpu")) tree.cpu = tree.memory;
    return tree;
  }
  tree.memory_reason = tree.pids_reason = "v2: " + unified.error().message();
  tree.memory = find_v1(mountinfo, membership, "memory", tree.memory_reason);
  tree.pids = find_v1(mountinfo, membership, "pids", tree.pids_reason);
  std::string ignored;
  tree.cpu = find_v1(mountinfo, membership, "cpu", ignored);
  return tree;
}

std::string new_group_name() {
  const auto pid = static_cast<std::uint64_t>(::getpid());
  return GroupName{.pid = pid,
                   .started = start_time(pid).value_or(0),
                   .random = random_hex(GroupName::kRandomDigits)}
      .text();
}

std::size_t sweep_dead_groups(const CgroupTree& tree) {
  std::set<fs::path> parents;
  if (tree.memory) parents.insert(tree.memory->directory);
  if (tree.pids) parents.insert(tree.pids->directory);
  if (tree.cpu) parents.insert(tree.cpu->directory);
  std::size_t count = 0;
  for (const fs::path& parent : parents) {
    std::vector<fs::path> dead;  // collected first: removing disturbs the listing
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(parent, ignored)) {
      if (entry.is_directory(ignored) && owner_is_dead(entry.path().filename().string())) {
        dead.push_back(entry.path());
      }
    }
    for (const fs::path& group : dead) remove_group(group);
    count += dead.size();
  }
  return count;
}

}  // namespace assay::process
