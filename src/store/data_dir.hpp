#pragma once

#include <chrono>
#include <filesystem>
#include <utility>

#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace assay::store {

/// Makes a data directory where there is none, readable by its owner alone.
[[nodiscard]] Result<void> make_data_dir(const std::filesystem::path& path);

/// The directory that holds everything a server keeps. It is locked against a second server for as
/// long as this lives. What needs the lock takes a `const DataDir&`.
class [[nodiscard]] DataDir {
 public:
  /// Makes the directory where needed, readable by its owner alone. Fails with `conflict` if
  /// another process still holds it after `patience`. It has to wait a moment, because a killed
  /// server may have forked a child that has not started yet. That child still keeps the lock.
  [[nodiscard]] static Result<DataDir> open(
      const std::filesystem::path& path,
      std::chrono::milliseconds patience = std::chrono::seconds(2));

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path database() const { return path_ / "jobs.db"; }

 private:
  DataDir(std::filesystem::path path, UniqueFd lock)
      : path_(std::move(path)), lock_(std::move(lock)) {}

  std::filesystem::path path_;
  UniqueFd lock_;
};

}  // namespace assay::store
