#pragma once

#include <filesystem>
#include <string_view>
#include <utility>

#include "base/os.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace assay::compile {

/// A private place for unfinished work inside a directory that other processes use too. It dies
/// with its process. If a process is killed, the next one that opens the directory removes what it
/// left.
class [[nodiscard]] WorkArea {
 public:
  [[nodiscard]] static Result<WorkArea> open(const std::filesystem::path& parent);

  /// A fresh directory on the same file system as the area, so that a rename out of it is atomic.
  [[nodiscard]] Result<TempDir> make_directory(std::string_view prefix) const;
  /// Removes a file or a tree that others may look up by name. It is gone at once, whole.
  void discard(const std::filesystem::path& path) const;

 private:
  WorkArea(TempDir directory, UniqueFd lock)
      : directory_(std::move(directory)), lock_(std::move(lock)) {}

  TempDir directory_;
  UniqueFd lock_;  // held while this process lives: the mark of work in use
};

}  // namespace assay::compile
