#include "process/landlock.hpp"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/os.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "process/jail_plan.hpp"
#include "process/jail_profile.hpp"

namespace assay::process {
namespace {

namespace fs = std::filesystem;

// As linux/landlock.h has them; that of the oldest system we build on lacks some.
// Reading is left to the mounts: runners open their kernels by descriptor, from places that no path
// of the jail leads to, and Landlock would look for such a path.
constexpr std::uint64_t kWriteFile = 1U << 1U;
constexpr std::uint64_t kRemoveAndMake = 0x1ff0;  // each kind of file
constexpr std::uint64_t kRefer = 1U << 13U;       // moving between directories; version 2
constexpr std::uint64_t kTruncate = 1U << 14U;    // version 3
constexpr std::uint64_t kTcp = 3;                 // binding and connecting; version 4
constexpr std::uint64_t kOutside = 3;             // abstract sockets, signals; version 6
constexpr std::uint64_t kInPlace = kWriteFile | kTruncate;
constexpr unsigned kAskForVersion = 1;
constexpr int kPathBeneath = 1;

struct Ruleset {
  std::uint64_t files;
  std::uint64_t network;
  std::uint64_t scoped;
};
struct [[gnu::packed]] PathBeneath {
  std::uint64_t allowed;
  std::int32_t parent;
};

std::uint64_t rights_over_files(int version) {
  return kWriteFile | kRemoveAndMake | (version >= 2 ? kRefer : 0) | (version >= 3 ? kTruncate : 0);
}

class Rules {
 public:
  Rules(UniqueFd ruleset, std::uint64_t known) : ruleset_(std::move(ruleset)), known_(known) {}

  /// What is not there needs no rule.
  Result<void> allow(const fs::path& path, std::uint64_t rights) {
    const UniqueFd parent(::open(path.c_str(), O_PATH | O_CLOEXEC));
    struct stat info{};
    if (!parent || ::fstat(parent.get(), &info) != 0) return {};
    PathBeneath rule{.allowed = rights & known_, .parent = parent.get()};
    if (!S_ISDIR(info.st_mode)) rule.allowed &= kInPlace;
    if (::syscall(SYS_landlock_add_rule, ruleset_.get(), kPathBeneath, &rule, 0) != 0) {
      return std::unexpected(errno_error("allow " + path.string() + " by Landlock"));
    }
    return {};
  }
  UniqueFd take() { return std::move(ruleset_); }

 private:
  UniqueFd ruleset_;
  std::uint64_t known_;
};

}  // namespace

int landlock_version() {
  const long version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, kAskForVersion);
  return version > 0 ? static_cast<int>(version) : 0;
}

Result<UniqueFd> landlock_rules(const JailPlan& plan) {
  const int version = plan.landlock;
  const std::uint64_t all = rights_over_files(version);
  const Ruleset handled{
      .files = all, .network = version >= 4 ? kTcp : 0, .scoped = version >= 6 ? kOutside : 0};
  const std::size_t size = version >= 6   ? sizeof(Ruleset)
                           : version >= 4 ? offsetof(Ruleset, scoped)
                                          : offsetof(Ruleset, network);
  const long made = ::syscall(SYS_landlock_create_ruleset, &handled, size, 0);
  if (made < 0) return std::unexpected(errno_error("make a Landlock ruleset"));
  Rules rules(UniqueFd(static_cast<int>(made)), all);
  Result<void> done;
  const auto allow = [&](const fs::path& path, std::uint64_t rights) {
    if (done) done = rules.allow(path, rights);
  };
  allow("/tmp", all);
  allow("/dev", kInPlace);
  allow("/proc", kInPlace);  // threads' names, and such
  for (const Bind& bind : plan.binds) {
    if (bind.writable) allow(plan.mount_namespace ? bind.inside : bind.host, all);
  }
  if (!done) return std::unexpected(std::move(done).error());
  return rules.take();
}

}  // namespace assay::process
