#include "compile/work_area.hpp"

#include <cerrno>
#include <expected>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/error.hpp"
#include "base/os.hpp"
#include "base/random.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace assay::compile {
namespace {

constexpr std::string_view kLockName = ".lock";

Result<UniqueFd> open_lock(const std::filesystem::path& directory) {
  const std::filesystem::path path = directory / kLockName;
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (!fd) return std::unexpected(errno_error("open " + path.string()));
  return fd;
}

bool lock(const UniqueFd& fd, int how) {
  while (::flock(fd.get(), how) != 0) {
    if (errno != EINTR) return false;
  }
  return true;
}

/// Jailed programs of another user get to what they are given inside, and cannot look around.
Result<TempDir> make_passable(const std::filesystem::path& parent, std::string_view prefix) {
  ASSAY_TRY(TempDir directory, TempDir::create(parent, prefix));
  if (::chmod(directory.path().c_str(), 0711) != 0) {
    return std::unexpected(errno_error("open up " + directory.path().string()));
  }
  return directory;
}

void remove_abandoned(const std::filesystem::path& parent) {
  std::error_code ignored;  // what cannot be removed now is tried again at the next start
  for (const auto& item : std::filesystem::directory_iterator(parent, ignored)) {
    if (!item.is_directory(ignored) || item.is_symlink(ignored)) continue;
    const auto held = open_lock(item.path());
    if (held && lock(*held, LOCK_EX | LOCK_NB)) std::filesystem::remove_all(item.path(), ignored);
  }
}

}  // namespace

Result<WorkArea> WorkArea::open(const std::filesystem::path& parent) {
  std::error_code failure;
  std::filesystem::create_directories(parent, failure);
  if (failure) {
    return fail(ErrorCode::internal, "create " + parent.string() + ": " + failure.message());
  }
  // Held from here on: nobody sweeps between a directory's birth and its lock.
  ASSAY_TRY(const UniqueFd gate, open_lock(parent));
  if (!lock(gate, LOCK_EX)) return std::unexpected(errno_error("lock " + parent.string()));
  remove_abandoned(parent);
  ASSAY_TRY(TempDir directory, make_passable(parent, "work-"));
  ASSAY_TRY(UniqueFd mark, open_lock(directory.path()));
  if (!lock(mark, LOCK_EX | LOCK_NB)) {
    return std::unexpected(errno_error("lock " + directory.path().string()));
  }
  return WorkArea(std::move(directory), std::move(mark));
}

Result<TempDir> WorkArea::make_directory(std::string_view prefix) const {
  return make_passable(directory_.path(), prefix);
}

void WorkArea::discard(const std::filesystem::path& path) const {
  const std::filesystem::path grave = directory_.path() / ("discarded-" + random_hex(16));
  std::error_code failure;
  std::filesystem::rename(path, grave, failure);
  if (!failure) std::filesystem::remove_all(grave, failure);
}

}  // namespace assay::compile
