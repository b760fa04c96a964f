#include "base/os.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <expected>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/random.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace assay {
namespace {

Result<void> write_all(int fd, std::string_view bytes, const std::filesystem::path& path) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(fd, bytes.data(), bytes.size());
    if (count < 0) {
      if (errno == EINTR) continue;
      return std::unexpected(errno_error("write " + path.string()));
    }
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

/// `prepare` is called with the descriptor of the new file before it takes the place of the old
/// one; false: it failed, and errno says why.
template <class Prepare>
Result<void> replace_file(const std::filesystem::path& path, std::string_view bytes, mode_t mode,
                          const Prepare& prepare) {
  const std::filesystem::path temporary = path.string() + ".tmp-" + random_hex(8);
  const UniqueFd fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  if (!fd) return std::unexpected(errno_error("create " + temporary.string()));
  auto written = write_all(fd.get(), bytes, temporary);
  if (written && !prepare(fd.get())) {
    written = std::unexpected(errno_error("give away " + temporary.string()));
  }
  if (written && ::rename(temporary.c_str(), path.c_str()) == 0) return {};
  if (written) written = std::unexpected(errno_error("rename to " + path.string()));
  ::unlink(temporary.c_str());
  return written;
}

}  // namespace

Error errno_error(std::string_view what, ErrorCode code) {
  return {code, std::string(what) + ": " + std::generic_category().message(errno)};
}

Result<std::string> read_file(const std::filesystem::path& path, std::size_t limit) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) {
    const ErrorCode code = errno == ENOENT ? ErrorCode::not_found : ErrorCode::internal;
    return std::unexpected(errno_error("open " + path.string(), code));
  }
  std::string bytes;
  std::string chunk(std::size_t{64} * 1024, '\0');
  while (true) {
    const ssize_t count = ::read(fd.get(), chunk.data(), chunk.size());
    if (count == 0) return bytes;
    if (count < 0) {
      if (errno == EINTR) continue;
      return std::unexpected(errno_error("read " + path.string()));
    }
    bytes.append(chunk, 0, static_cast<std::size_t>(count));
    if (bytes.size() > limit) {
      return fail(ErrorCode::resource_exhausted,
                  path.string() + " is larger than " + std::to_string(limit) + " bytes");
    }
  }
}

Result<void> write_file_atomically(const std::filesystem::path& path, std::string_view bytes) {
  return replace_file(path, bytes, 0644, [](int) { return true; });
}

Result<void> write_private_file(const std::filesystem::path& path, std::string_view bytes) {
  return replace_file(path, bytes, 0600, [&path](int fd) {
    if (::geteuid() != 0) return true;
    struct stat directory{};
    const auto parent = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
    return ::stat(parent.c_str(), &directory) == 0 &&
           ::fchown(fd, directory.st_uid, directory.st_gid) == 0;
  });
}

Result<UniqueFd> sealed_copy(const std::filesystem::path& path) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return std::unexpected(errno_error("open " + path.string(), ErrorCode::unavailable));
  UniqueFd copy(::memfd_create(path.filename().c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!copy) return std::unexpected(errno_error("make a file in memory"));
  constexpr std::size_t kAtOnce = std::size_t{64} << 20U;
  while (true) {
    const ssize_t count = ::sendfile(copy.get(), file.get(), nullptr, kAtOnce);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return std::unexpected(errno_error("copy " + path.string()));
    if (count == 0) break;
  }
  if (::fcntl(copy.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) !=
      0) {
    return std::unexpected(errno_error("seal the copy of " + path.string()));
  }
  return copy;
}

Result<TempDir> TempDir::create(const std::filesystem::path& parent, std::string_view prefix) {
  std::string pattern = (parent / (std::string(prefix) + "XXXXXX")).string();
  if (::mkdtemp(pattern.data()) == nullptr) {
    return std::unexpected(errno_error("make a directory in " + parent.string()));
  }
  return TempDir(std::filesystem::path(pattern));
}

TempDir::TempDir(TempDir&& other) noexcept : path_(std::exchange(other.path_, {})) {}

TempDir& TempDir::operator=(TempDir&& other) noexcept {
  std::swap(path_, other.path_);
  return *this;
}

TempDir::~TempDir() {
  if (path_.empty()) return;
  std::error_code ignored;  // what cannot be removed now is swept at the next start
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace assay
