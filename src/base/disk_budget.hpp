#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "base/clock.hpp"
#include "base/mutex.hpp"

namespace assay {

struct DiskLimits {
  std::uint64_t bytes = std::uint64_t{2} << 30U;
  /// An entry used within this time stays. So a path that was handed out remains valid while its
  /// job waits for a device and a runner loads it. Protected entries may take the cache past
  /// `bytes`. Past twice `bytes`, only a twelfth of this time protects.
  std::chrono::milliseconds protection = std::chrono::hours(1);
};

struct DiskEntry {
  std::filesystem::path path;
  WallTime used;
  std::uint64_t bytes = 0;  // see size_on_disk
};

/// What `bytes` of content take there.
[[nodiscard]] std::uint64_t size_on_disk(std::uint64_t bytes);

/// Makes now the modification time of a file, which is how uses are remembered.
void mark_used(const std::filesystem::path& file, const Clock& clock);
/// The moment of the last mark; long ago where there is no such file.
[[nodiscard]] WallTime last_use(const std::filesystem::path& file);

/// Keeps a cache on disk within its limits: what was not used for longest goes first. Other
/// processes may add and remove entries too.
class DiskBudget {
 public:
  using Look = std::function<std::vector<DiskEntry>()>;  // everything, as the disk has it now
  using Discard = std::function<void(const std::filesystem::path& path)>;

  DiskBudget(DiskLimits limits, const Clock& clock, Look look, Discard discard);

  /// Call it for every new entry, with its size, and once at the start with 0.
  void added(std::uint64_t bytes);
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  const DiskLimits limits_;
  const Clock& clock_;
  const Look look_;
  const Discard discard_;
  mutable Mutex mutex_;
  std::uint64_t bytes_ ASSAY_GUARDED_BY(mutex_) = 0;     // since the last look, of this process
  std::uint64_t sweep_at_ ASSAY_GUARDED_BY(mutex_) = 0;  // look at the disk again past this
};

}  // namespace assay
