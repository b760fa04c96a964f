#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "base/result.hpp"
#include "worker/kept_files.hpp"

namespace assay::worker {

/// What a profiler wrote of one call, and the range around it.
struct KeptReport {
  std::string range;
  std::string bytes;
  friend bool operator==(const KeptReport&, const KeptReport&) = default;
};

/// Reports of calls that were made before. The key stands for all that they depend on.
class MetricsCache {
 public:
  /// `clock` outlives this.
  [[nodiscard]] static Result<std::unique_ptr<MetricsCache>> open(std::filesystem::path directory,
                                                                  std::uint64_t limit,
                                                                  const Clock& clock);

  /// One for each run; empty where they are not kept.
  [[nodiscard]] std::vector<KeptReport> find(const Digest& key);
  void keep(const Digest& key, const std::vector<KeptReport>& reports);

 private:
  explicit MetricsCache(std::unique_ptr<KeptFiles> files) : files_(std::move(files)) {}

  const std::unique_ptr<KeptFiles> files_;
};

}  // namespace assay::worker
