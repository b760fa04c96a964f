#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "trace/ncu/report.hpp"
#include "trace/table.hpp"

namespace assay::trace {

/// A launch of one report and its counterpart in the other; one side is absent for a launch that
/// is new or gone. Indices into `NcuReport::launches`.
struct LaunchPair {
  std::optional<std::size_t> before;
  std::optional<std::size_t> after;
};

/// Pairs launches in order: first those with the same name, grid and block, then those with the
/// same name, then those of the same function with other template arguments.
[[nodiscard]] std::vector<LaunchPair> match_launches(const NcuReport& before,
                                                     const NcuReport& after);

/// What changed between two reports, launch by launch, and in `metrics` if asked for (exact
/// names). Findings say what makes the two hard to compare. Fails with `not_found` for a metric
/// that neither report has.
[[nodiscard]] Result<Report> compare_ncu(const NcuReport& before, const NcuReport& after,
                                         std::string title,
                                         const std::vector<std::string>& metrics = {});

}  // namespace assay::trace
