#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "base/disk_budget.hpp"
#include "base/result.hpp"
#include "compile/build_record.hpp"
#include "compile/work_area.hpp"

namespace assay::compile {

/// Results of builds on disk, by key. Entries appear and vanish whole, even if a process that uses
/// the directory dies. They carry digests: a damaged entry counts as missing.
class BuildCache {
 public:
  /// `work` and `clock` outlive the cache; `directory` is on the file system of `work`.
  [[nodiscard]] static Result<std::unique_ptr<BuildCache>> open(std::filesystem::path directory,
                                                                DiskLimits limits,
                                                                const WorkArea& work,
                                                                const Clock& clock);

  /// Counts as a use of the entry.
  [[nodiscard]] std::optional<BuildRecord> find(const Digest& key);

  /// Keeps the record, moving its module into the cache, and returns it with the path there.
  /// Of verdicts, only did_not_compile and unsupported can be kept.
  [[nodiscard]] Result<BuildRecord> store(const Digest& key, BuildRecord record);

  [[nodiscard]] std::uint64_t bytes() const { return budget_.bytes(); }

 private:
  BuildCache(std::filesystem::path directory, DiskLimits limits, const WorkArea& work,
             const Clock& clock);
  [[nodiscard]] std::filesystem::path path_of(const Digest& key) const;
  [[nodiscard]] Result<void> put(const std::filesystem::path& staged,
                                 const std::filesystem::path& entry) const;

  const std::filesystem::path directory_;
  const WorkArea& work_;
  const Clock& clock_;
  DiskBudget budget_;
};

}  // namespace assay::compile
