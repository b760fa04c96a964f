#include "process/jail_root.hpp"

#include <array>
#include <cerrno>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "process/jail_plan.hpp"
#include "process/jail_profile.hpp"

namespace assay::process {
namespace {

namespace fs = std::filesystem;

// On most systems all but /usr are links into it.
constexpr std::array kSystemDirectories{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64"};
constexpr std::array kSystemFiles{"/etc/ld.so.cache", "/etc/alternatives", "/dev/null",
                                  "/dev/zero",        "/dev/full",         "/dev/random",
                                  "/dev/urandom"};
// The tmpfs root is mounted over it; any directory that every system has would do.
constexpr const char* kStagingPoint = "/tmp";
constexpr const char* kOldRoot = "/.old";

bool is_link(const char* path) {
  struct stat info{};
  return ::lstat(path, &info) == 0 && S_ISLNK(info.st_mode);
}

Result<void> set_attributes(int tree, std::uint64_t attributes, const fs::path& what) {
  mount_attr change{};
  change.attr_set = attributes;
  if (::syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &change,
                sizeof(change)) != 0) {
    return std::unexpected(errno_error("restrict the mount of " + what.string()));
  }
  return {};
}

/// Adds nothing where an optional bind does not exist.
Result<void> detach(const Bind& bind, std::vector<DetachedBind>& into) {
  const long fd = ::syscall(SYS_open_tree, AT_FDCWD, bind.host.c_str(),
                            OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
  if (fd < 0) {
    if (errno == ENOENT && bind.optional) return {};
    return std::unexpected(errno_error("bind " + bind.host.string()));
  }
  UniqueFd tree(static_cast<int>(fd));
  // nodev would make /dev/null useless; no device can be made inside anyway.
  std::uint64_t attributes = MOUNT_ATTR_NOSUID;
  if (!bind.writable) attributes |= MOUNT_ATTR_RDONLY;
  if (auto set = set_attributes(tree.get(), attributes, bind.host); !set) return set;
  struct stat info{};
  if (::fstat(tree.get(), &info) != 0) {
    return std::unexpected(errno_error("stat " + bind.host.string()));
  }
  into.push_back({std::move(tree), bind.inside, S_ISDIR(info.st_mode)});
  return {};
}

Result<void> make_file(const fs::path& path, std::string_view content) {
  const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
  if (!file) return std::unexpected(errno_error("make " + path.string()));
  if (::write(file.get(), content.data(), content.size()) < 0) {
    return std::unexpected(errno_error("write " + path.string()));
  }
  return {};
}

Result<void> make_directories(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) return fail(ErrorCode::internal, "make " + path.string() + ": " + error.message());
  return {};
}

Result<void> attach(const DetachedBind& bind) {
  struct stat info{};
  if (::stat(bind.inside.c_str(), &info) != 0) {
    auto made = make_directories(bind.directory ? bind.inside : bind.inside.parent_path());
    if (made && !bind.directory) made = make_file(bind.inside, "");
    if (!made) return made;
  }
  if (::syscall(SYS_move_mount, bind.tree.get(), "", AT_FDCWD, bind.inside.c_str(),
                MOVE_MOUNT_F_EMPTY_PATH) != 0) {
    return std::unexpected(errno_error("place a bind at " + bind.inside.string()));
  }
  return {};
}

Result<void> mount_tmpfs(const char* where, const std::string& options) {
  if (::mount("tmpfs", where, "tmpfs", MS_NOSUID | MS_NODEV, options.c_str()) != 0) {
    return std::unexpected(errno_error(fmt::format("mount a tmpfs on {}", where)));
  }
  return {};
}

/// Makes an empty tmpfs the root; the host's tree is then below kOldRoot.
Result<void> enter_empty_root() {
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
    return std::unexpected(errno_error("make the mounts private"));
  }
  if (auto root = mount_tmpfs(kStagingPoint, "size=1m,nr_inodes=1k,mode=755"); !root) return root;
  const std::string old = std::string(kStagingPoint) + kOldRoot;
  if (::mkdir(old.c_str(), 0700) != 0 ||
      ::syscall(SYS_pivot_root, kStagingPoint, old.c_str()) != 0 || ::chdir("/") != 0) {
    return std::unexpected(errno_error("enter the new root"));
  }
  return {};
}

Result<void> leave_old_root() {
  if (::umount2(kOldRoot, MNT_DETACH) != 0 || ::rmdir(kOldRoot) != 0) {
    return std::unexpected(errno_error("leave the old root"));
  }
  mount_attr read_only{};
  read_only.attr_set = MOUNT_ATTR_RDONLY;
  if (::syscall(SYS_mount_setattr, AT_FDCWD, "/", 0, &read_only, sizeof(read_only)) != 0) {
    return std::unexpected(errno_error("make the new root read-only"));
  }
  return {};
}

Result<void> make_skeleton(const Limits& limits) {
  for (const char* directory : {"/tmp", "/proc", "/dev", "/etc"}) {
    if (::mkdir(directory, 0755) != 0) {
      return std::unexpected(errno_error(fmt::format("make {}", directory)));
    }
  }
  // One tmpfs for both, so that one limit holds for both.
  if (::symlink("/tmp", "/dev/shm") != 0) return std::unexpected(errno_error("link /dev/shm"));
  for (const char* directory : kSystemDirectories) {
    std::error_code error;
    const fs::path target = fs::read_symlink(kOldRoot + std::string(directory), error);
    if (!error && ::symlink(target.c_str(), directory) != 0) {
      return std::unexpected(errno_error(fmt::format("link {}", directory)));
    }
  }
  constexpr std::string_view kUser = "nobody:x:65534:65534:nobody:/tmp:/usr/sbin/nologin\n";
  if (auto made = make_file("/etc/passwd", kUser); !made) return made;
  if (auto made = make_file("/etc/group", "nogroup:x:65534:\n"); !made) return made;
  // Small files take a page each, so the number of files is bounded too.
  return mount_tmpfs("/tmp", fmt::format("size={},nr_inodes={},mode=1777", limits.tmp_bytes,
                                         1024 + limits.tmp_bytes / 4096));
}

Result<void> mount_proc(bool own) {
  if (own) {
    if (::mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) != 0) {
      return std::unexpected(errno_error("mount /proc"));
    }
    return {};
  }
  const std::string host = std::string(kOldRoot) + "/proc";
  if (::mount(host.c_str(), "/proc", nullptr, MS_BIND | MS_REC, nullptr) != 0) {
    return std::unexpected(errno_error("bind the host's /proc"));
  }
  return {};
}

}  // namespace

Result<std::vector<DetachedBind>> detach_binds(const JailPlan& plan) {
  // In order of place: outer before inner, or the outer would hide the inner. The plan's own come
  // last, so that they replace ours.
  std::map<fs::path, Bind> by_place;
  for (const char* path : kSystemDirectories) {
    if (!is_link(path)) by_place[path] = {.host = path, .inside = path, .optional = true};
  }
  for (const char* path : kSystemFiles) {
    by_place[path] = {.host = path, .inside = path, .optional = true};
  }
  for (const Bind& bind : plan.binds) by_place[bind.inside] = bind;
  std::vector<DetachedBind> detached;
  for (const auto& [place, bind] : by_place) {
    if (auto done = detach(bind, detached); !done) return std::unexpected(done.error());
  }
  return detached;
}

Result<void> build_root(const JailPlan& plan, const std::vector<DetachedBind>& binds) {
  if (auto entered = enter_empty_root(); !entered) return entered;
  if (auto made = make_skeleton(plan.limits); !made) return made;
  for (const DetachedBind& bind : binds) {
    if (auto attached = attach(bind); !attached) return attached;
  }
  if (auto mounted = mount_proc(plan.private_proc); !mounted) return mounted;
  return leave_old_root();
}

}  // namespace assay::process
