#include "base/disk_budget.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>

#include "base/clock.hpp"
#include "base/mutex.hpp"

namespace assay {

std::uint64_t size_on_disk(std::uint64_t bytes) {
  constexpr std::uint64_t kBlock = 4096;
  return (bytes + kBlock - 1) / kBlock * kBlock;
}

void mark_used(const std::filesystem::path& file, const Clock& clock) {
  const auto now = std::chrono::floor<std::chrono::seconds>(clock.wall_now().time_since_epoch());
  const timespec stamp{.tv_sec = now.count(), .tv_nsec = 0};
  const std::array<timespec, 2> times = {stamp, stamp};
  // Fails only where another process evicted the entry a moment ago.
  ::utimensat(AT_FDCWD, file.c_str(), times.data(), 0);
}

WallTime last_use(const std::filesystem::path& file) {
  struct stat status{};
  const bool found = ::stat(file.c_str(), &status) == 0;
  return WallTime(std::chrono::seconds(found ? status.st_mtim.tv_sec : 0));
}

DiskBudget::DiskBudget(DiskLimits limits, const Clock& clock, Look look, Discard discard)
    : limits_(limits), clock_(clock), look_(std::move(look)), discard_(std::move(discard)) {}

void DiskBudget::added(std::uint64_t bytes) {
  const MutexLock lock(mutex_);
  bytes_ += bytes;
  if (bytes_ < sweep_at_) return;
  // Other processes add and evict too, so the disk is asked, not our own count.
  std::vector<DiskEntry> entries = look_();
  std::ranges::sort(entries, {}, &DiskEntry::used);
  bytes_ = 0;
  for (const DiskEntry& entry : entries) bytes_ += entry.bytes;
  const std::uint64_t slack = limits_.bytes / 10;  // so that not every store walks the disk
  const std::uint64_t target = bytes_ > limits_.bytes ? limits_.bytes - slack : limits_.bytes;
  const WallTime now = clock_.wall_now();
  for (const DiskEntry& entry : entries) {
    const bool flooded = bytes_ > 2 * limits_.bytes;
    const auto protection = flooded ? limits_.protection / 12 : limits_.protection;
    if (bytes_ <= target || entry.used > now - protection) break;
    discard_(entry.path);
    bytes_ -= entry.bytes;
  }
  sweep_at_ = std::max(limits_.bytes, bytes_ + slack);
}

std::uint64_t DiskBudget::bytes() const {
  const MutexLock lock(mutex_);
  return bytes_;
}

}  // namespace assay
