#include "compile/toolchain_files.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <expected>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "compile/record.hpp"
#include "compile/work_area.hpp"

namespace assay::compile {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSeal = "seal";  // its modification time is the last use
constexpr std::chrono::days kKeptUnused{30};

Result<void> take_back(const fs::path& path, bool directory) {
  const mode_t mode = directory ? 0755 : 0644;
  if (::lchown(path.c_str(), ::geteuid(), ::getegid()) != 0 || ::chmod(path.c_str(), mode) != 0) {
    return std::unexpected(errno_error("take back " + path.string()));
  }
  return {};
}

/// What a file must be recognised by: its digest, or its size where reading it would hold up every
/// start of a server for seconds (torch's headers compiled take 800 MB).
Result<std::string> mark_of(const fs::path& path) {
  constexpr std::uintmax_t kLargest = std::uintmax_t{256} << 20U;
  std::error_code failure;
  const std::uintmax_t size = fs::file_size(path, failure);
  if (failure) return fail(ErrorCode::data_loss, path.string() + ": " + failure.message());
  if (size > kLargest) return fmt::format("{} bytes", size);
  ASSAY_TRY(const std::string bytes, read_file(path));
  return sha256(bytes).hex();
}

}  // namespace

Result<void> seal_directory(const fs::path& directory) {
  if (auto taken = take_back(directory, true); !taken) return taken;
  RecordFields digests;
  std::error_code failure;
  for (const auto& item : fs::recursive_directory_iterator(directory, failure)) {
    if (item.is_symlink()) {
      return fail(ErrorCode::internal, "an unexpected link: " + item.path().string());
    }
    if (auto taken = take_back(item.path(), item.is_directory()); !taken) return taken;
    if (!item.is_regular_file()) continue;
    ASSAY_TRY(std::string mark, mark_of(item.path()));
    digests.emplace_back(item.path().lexically_relative(directory).string(), std::move(mark));
  }
  if (failure) {
    return fail(ErrorCode::internal, "read " + directory.string() + ": " + failure.message());
  }
  std::ranges::sort(digests);
  return write_file_atomically(directory / kSeal, encode_record(digests));
}

Result<void> verify_directory(const fs::path& directory) {
  std::error_code ignored;
  if (!fs::exists(directory, ignored)) {
    return fail(ErrorCode::not_found, "no " + directory.string());
  }
  const auto damaged = [&](const std::string& name) {
    return fail(ErrorCode::data_loss, (directory / name).string() + " is not as it was made");
  };
  const auto seal = read_file(directory / kSeal);
  if (!seal) return damaged(std::string(kSeal));
  ASSAY_TRY(const RecordFields digests, decode_record(*seal));
  for (const auto& [name, digest] : digests) {
    const auto mark = mark_of(directory / name);
    if (!mark || *mark != digest) return damaged(name);
  }
  return {};
}

void keep_directory(const fs::path& directory, const WorkArea& work, const Clock& clock) {
  const auto now = std::chrono::floor<std::chrono::seconds>(clock.wall_now());
  const timespec stamp{.tv_sec = now.time_since_epoch().count(), .tv_nsec = 0};
  const std::array<timespec, 2> times = {stamp, stamp};
  ::utimensat(AT_FDCWD, (directory / kSeal).c_str(), times.data(), 0);
  std::error_code ignored;
  for (const auto& item : fs::directory_iterator(directory.parent_path(), ignored)) {
    struct stat status{};
    if (item.path() == directory || ::stat((item.path() / kSeal).c_str(), &status) != 0) continue;
    const std::chrono::sys_seconds used{std::chrono::seconds(status.st_mtim.tv_sec)};
    if (used < now - kKeptUnused) work.discard(item.path());
  }
}

}  // namespace assay::compile
