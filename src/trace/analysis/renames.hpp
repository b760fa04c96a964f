#pragma once

#include <vector>

#include "trace/analysis/diff.hpp"
#include "trace/analysis/profile_sums.hpp"

namespace assay::trace {

/// Kernels that only A has beside kernels that only B has, where both were launched with the same
/// grids and blocks: the same work under another name, perhaps. At most one suggestion a kernel,
/// the likeliest first.
[[nodiscard]] std::vector<Renamed> suggest_renames(const ProfileSums& a, const ProfileSums& b,
                                                   const std::vector<DiffRow>& rows);

}  // namespace assay::trace
