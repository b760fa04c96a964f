#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "base/mutex.hpp"
#include "base/result.hpp"
#include "compile/build_record.hpp"
#include "compile/work_area.hpp"

namespace assay::compile {

struct CacheLimits {
  std::uint64_t bytes = std::uint64_t{2} << 30U;
  /// An entry used within this time stays, so that a path handed out remains valid while its job
  /// waits for a device and a runner loads it. The cache may exceed `bytes` by what this protects;
  /// past twice `bytes`, only a twelfth of this time protects.
  std::chrono::milliseconds protection = std::chrono::hours(1);
};

/// Results of builds on disk, by key. Entries appear and vanish whole, whenever any process using
/// the directory dies, and carry digests: one that was damaged is a miss.
class BuildCache {
 public:
  /// `work` and `clock` outlive the cache; `directory` is on the file system of `work`.
  [[nodiscard]] static Result<std::unique_ptr<BuildCache>> open(std::filesystem::path directory,
                                                                CacheLimits limits,
                                                                const WorkArea& work,
                                                                const Clock& clock);

  /// Counts as a use of the entry.
  [[nodiscard]] std::optional<BuildRecord> find(const Digest& key);

  /// Keeps the record, moving its module into the cache, and returns it with the path there.
  /// Of verdicts, only did_not_compile and unsupported can be kept.
  [[nodiscard]] Result<BuildRecord> store(const Digest& key, BuildRecord record);

  [[nodiscard]] std::uint64_t bytes() const;

 private:
  struct Entry;
  BuildCache(std::filesystem::path directory, CacheLimits limits, const WorkArea& work,
             const Clock& clock);
  [[nodiscard]] std::filesystem::path path_of(const Digest& key) const;
  [[nodiscard]] Result<void> put(const std::filesystem::path& staged,
                                 const std::filesystem::path& entry) const;
  void touch(const std::filesystem::path& entry) const;
  void make_room(std::uint64_t added);

  const std::filesystem::path directory_;
  const CacheLimits limits_;
  const WorkArea& work_;
  const Clock& clock_;
  mutable Mutex mutex_;
  std::uint64_t bytes_ ASSAY_GUARDED_BY(mutex_) = 0;     // since the last look, of this process
  std::uint64_t sweep_at_ ASSAY_GUARDED_BY(mutex_) = 0;  // look at the disk again past this
};

}  // namespace assay::compile
