#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace assay {

/// An Error from errno: "open /x: Permission denied". `code` is what the caller can do about it.
[[nodiscard]] Error errno_error(std::string_view what, ErrorCode code = ErrorCode::internal);

/// The whole of a file. Fails with `not_found` where there is none and `resource_exhausted`
/// where it is larger than `limit`.
[[nodiscard]] Result<std::string> read_file(const std::filesystem::path& path,
                                            std::size_t limit = std::size_t{1} << 30U);

/// Writes beside `path` and renames, so that a reader sees the old file or the new one whole.
[[nodiscard]] Result<void> write_file_atomically(const std::filesystem::path& path,
                                                 std::string_view bytes);

/// The same for a file that only its owner may read. If root writes it, it belongs to the owner of
/// its directory, because a server may run as that user.
[[nodiscard]] Result<void> write_private_file(const std::filesystem::path& path,
                                              std::string_view bytes);

/// A copy of a file in memory that nobody can change any more. For those who are not trusted with
/// the file itself: its owner may open a descriptor of it again for writing, or take away the
/// rights of others. Fails with `unavailable` where the file cannot be read.
[[nodiscard]] Result<UniqueFd> sealed_copy(const std::filesystem::path& path);

/// A directory that is removed, with all it holds, when this dies.
class [[nodiscard]] TempDir {
 public:
  [[nodiscard]] static Result<TempDir> create(const std::filesystem::path& parent,
                                              std::string_view prefix);
  TempDir(TempDir&& other) noexcept;
  TempDir& operator=(TempDir&& other) noexcept;
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  ~TempDir();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  explicit TempDir(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;  // empty once moved from
};

}  // namespace assay
