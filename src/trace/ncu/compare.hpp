#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "trace/ncu/report.hpp"
#include "trace/table.hpp"

namespace assay::trace {

/// A launch of one report and its counterpart in the other. One side is absent for a launch that is
/// new or gone. Both are indices into `NcuReport::launches`.
struct LaunchPair {
  std::optional<std::size_t> before;
  std::optional<std::size_t> after;
};

/// Pairs launches in order. First come those with the same name, grid and block. Then come those
/// with the same name, then those of the same function with other template arguments.
[[nodiscard]] std::vector<LaunchPair> match_launches(const NcuReport& before,
                                                     const NcuReport& after);

struct NcuDiffOptions {
  std::vector<std::string> metrics;  // to compare, by their exact names
  /// Names or patterns of kernels of the first report, and what they are called in the second.
  std::vector<std::pair<std::string, std::string>> matches;
};

/// What changed between two reports: for one launch of each kernel, then launch by launch, and in
/// the metrics asked for. It takes one launch of each kernel because a report holds as many as
/// somebody chose to profile. Findings say what makes the two hard to compare. Fails with
/// `not_found` for a metric or a kernel that is not there.
[[nodiscard]] Result<Report> compare_ncu(const NcuReport& before, const NcuReport& after,
                                         std::string title, const NcuDiffOptions& options = {});

/// The average duration of a launch, over the kernels that both reports have. Each kernel counts as
/// often as the first report has it. Nothing where they have no kernel in common.
struct NcuLaunchTimes {
  double before_ns = 0;
  double after_ns = 0;
  /// Of all time that was measured, that of the kernels that both have.
  double before_shared_pct = 100;
  double after_shared_pct = 100;
};
[[nodiscard]] Result<std::optional<NcuLaunchTimes>> ncu_launch_times(const NcuReport& before,
                                                                     const NcuReport& after,
                                                                     const NcuDiffOptions& options);

}  // namespace assay::trace
