#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace assay::profile {

/// A run as its folder tells it.
struct RunRecord {
  /// "2026-11-16T08-33-20Z", with "-2" if two began in one second. Runs of a sweep have its folders
  /// in front: "sweep-1f3a/batch=8/2026-11-16T08-33-20Z".
  std::string id;
  std::filesystem::path folder;
  std::string command;
  std::string exit_code;  // empty: it did not end, or is still running
  std::uintmax_t bytes = 0;
  bool pinned = false;
  bool running = false;
};

/// Held while a run is under way, so that nobody removes its folder meanwhile. The system releases
/// it when the process ends, however it ends.
class RunningMark {
 public:
  explicit RunningMark(const std::filesystem::path& folder);

 private:
  UniqueFd lock_;
};

/// What to remove. A run goes if any of these says so, but never if it is pinned or running.
struct PruneRule {
  std::optional<std::size_t> keep_last;          // all but the newest so many
  std::optional<std::chrono::hours> older_than;  //
  std::optional<std::uintmax_t> keep_bytes;  // the oldest, until the rest fits; never the newest
};

/// Folders of runs under one root.
class RunStore {
 public:
  explicit RunStore(std::filesystem::path root) : root_(std::move(root)) {}

  /// A new, empty folder named for the time.
  [[nodiscard]] Result<std::filesystem::path> create(const Clock& clock) const;
  /// The newest first, those of sweeps among them. None where there is no root yet.
  [[nodiscard]] Result<std::vector<RunRecord>> list() const;
  /// Finds a run by its id, by a beginning of it that no other run has, or by "last". Fails with
  /// `not_found`.
  [[nodiscard]] Result<RunRecord> find(std::string_view id) const;
  [[nodiscard]] Result<void> pin(std::string_view id, bool pinned) const;
  /// The ids of what was removed.
  [[nodiscard]] Result<std::vector<std::string>> prune(const PruneRule& rule,
                                                       const Clock& clock) const;

 private:
  std::filesystem::path root_;
};

/// "2026-11-16T08-33-20Z"
[[nodiscard]] std::string run_time(WallTime time);

}  // namespace assay::profile
