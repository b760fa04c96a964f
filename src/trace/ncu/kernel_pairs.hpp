#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "trace/analysis/diff.hpp"
#include "trace/ncu/compare.hpp"
#include "trace/ncu/report.hpp"
#include "trace/table.hpp"

namespace assay::trace {

// Private to compare.cpp.

/// The launches of one kernel in each of two reports. One side is empty for a kernel that is new or
/// gone. Both are indices into `NcuReport::launches`.
struct KernelPair {
  std::vector<std::size_t> before;
  std::vector<std::size_t> after;
};

/// Kernels of both reports. First come those said to be the same, then those with the same name,
/// grid and block. Then come those with the same name, then those of the same function. Fails where
/// a kernel that is to be matched is not there.
[[nodiscard]] Result<std::vector<KernelPair>> match_kernels(
    const NcuReport& before, const NcuReport& after,
    const std::vector<std::pair<std::string, std::string>>& asked);

/// The average duration of a launch over the pairs that have both sides.
[[nodiscard]] std::optional<NcuLaunchTimes> launch_times(const NcuReport& before,
                                                         const NcuReport& after,
                                                         const std::vector<KernelPair>& kernels);

/// "faster", "slower", "same" for a change that says nothing, "unknown" without one.
[[nodiscard]] std::string_view change_word(std::optional<double> change_pct);

/// `kernels`: a launch of each.
[[nodiscard]] Table kernel_pair_table(const NcuReport& before, const NcuReport& after,
                                      const std::vector<KernelPair>& kernels);

/// Suggests that a kernel which is gone is the same as one which is new. Both have the same grid
/// and block, or about the same counts of instructions and bytes.
[[nodiscard]] std::vector<Renamed> suggest_renamed_kernels(const NcuReport& before,
                                                           const NcuReport& after,
                                                           const std::vector<KernelPair>& kernels);

}  // namespace assay::trace
