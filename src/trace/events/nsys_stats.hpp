#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "trace/analysis/summary.hpp"
#include "trace/diagnostics.hpp"

namespace assay::trace {

/// One summary that `nsys stats` printed: sums alone, no events.
struct StatsTable {
  std::string report;  // "cuda_gpu_kern_sum"; by its columns where the text does not say
  std::vector<NamedSummary> rows;
};

struct StatsFile {
  std::string file;
  std::vector<StatsTable> tables;
  Diagnostics diagnostics;

  /// Null where the file has no such report.
  [[nodiscard]] const StatsTable* find(std::string_view report) const;
};

/// Reads the CSV of `nsys stats`, of old and new releases ("Average", "Avg (ns)"), in any unit of
/// time. The text may hold several reports, with other output between them. A median or deviation
/// that a release does not print is NaN. If there is no summary, it fails with `invalid_argument`
/// and quotes the text: `nsys stats` prints a refusal with exit code 0.
[[nodiscard]] Result<StatsFile> parse_nsys_stats(std::string_view text);

[[nodiscard]] Result<StatsFile> read_nsys_stats(const std::filesystem::path& path);

}  // namespace assay::trace
