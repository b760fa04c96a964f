#include "cli/file_watch.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <stop_token>
#include <system_error>
#include <utility>
#include <vector>

namespace assay::cli {

FileWatch::Mark FileWatch::mark_of(const std::filesystem::path& file) {
  std::error_code absent;
  const auto time = std::filesystem::last_write_time(file, absent);
  if (absent) return std::nullopt;
  const std::uintmax_t size = std::filesystem::file_size(file, absent);
  if (absent) return std::nullopt;
  return std::pair(time, size);
}

void FileWatch::follow(const std::vector<std::filesystem::path>& files) {
  marks_.clear();
  for (const auto& file : files) marks_[file] = mark_of(file);
}

/// A file that is gone is being saved: it counts when it is back.
bool FileWatch::has_changed() const {
  return std::ranges::any_of(marks_, [](const auto& entry) {
    const Mark now = mark_of(entry.first);
    return now && now != entry.second;
  });
}

bool FileWatch::wait(const std::stop_token& stop) const {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  while (!stop.stop_requested()) {
    never.wait_for(lock, stop, every_, [] { return false; });
    if (has_changed()) return true;
  }
  return false;
}

}  // namespace assay::cli
