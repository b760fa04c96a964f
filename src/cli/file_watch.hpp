#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

namespace assay::cli {

/// Waits until one of some files is saved. Looks at them from time to time: editors replace files,
/// and some file systems tell nobody.
class FileWatch {
 public:
  explicit FileWatch(std::chrono::milliseconds every = std::chrono::milliseconds(200))
      : every_(every) {}

  /// Remembers how the files are now.
  void follow(const std::vector<std::filesystem::path>& files);
  /// True when one of them has changed since; false when stopped.
  [[nodiscard]] bool wait(const std::stop_token& stop) const;

 private:
  using Mark = std::optional<std::pair<std::filesystem::file_time_type, std::uintmax_t>>;
  [[nodiscard]] static Mark mark_of(const std::filesystem::path& file);
  [[nodiscard]] bool has_changed() const;

  std::chrono::milliseconds every_;
  std::map<std::filesystem::path, Mark> marks_;
};

}  // namespace assay::cli
