#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "base/disk_budget.hpp"
#include "base/result.hpp"

namespace assay::worker {

/// One file for each key, in a directory that several workers may use, within a limit of bytes.
/// What was not used for longest goes first. Files appear whole and carry digests: a damaged one is
/// not found.
class KeptFiles {
 public:
  /// `clock` outlives this.
  [[nodiscard]] static Result<std::unique_ptr<KeptFiles>> open(std::filesystem::path directory,
                                                               std::uint64_t limit,
                                                               const Clock& clock);

  /// Nothing if there is no such file, or if it holds more than `largest` bytes.
  [[nodiscard]] std::optional<std::string> find(const Digest& key, std::size_t largest);
  void keep(const Digest& key, std::string_view content);

 private:
  KeptFiles(std::filesystem::path directory, std::uint64_t limit, const Clock& clock);

  const std::filesystem::path directory_;
  const Clock& clock_;
  DiskBudget budget_;
};

}  // namespace assay::worker
