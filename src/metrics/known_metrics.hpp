#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay::metrics {

/// Whether Nsight Compute makes the metric itself, from launches, samples or source lines. CUPTI
/// knows only what the hardware counts, and does not list these.
[[nodiscard]] bool is_profilers_own(std::string_view metric);

/// The metrics that some chips have, by CUPTI's list of them.
class KnownMetrics {
 public:
  /// `names`: without rollups ("sm__cycles_active"), in any order.
  explicit KnownMetrics(std::vector<std::string> names);

  [[nodiscard]] bool has(std::string_view metric) const;
  /// Says what is wrong with the first of `wanted` that does not exist, and names those most like
  /// it. Nothing if all exist.
  [[nodiscard]] std::optional<std::string> mistake_in(std::span<const std::string> wanted) const;

 private:
  std::vector<std::string> names_;  // sorted
};

}  // namespace assay::metrics
