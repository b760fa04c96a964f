#pragma once

#include <vector>

#include "trace/analysis/diff.hpp"
#include "trace/analysis/profile_sums.hpp"

namespace assay::trace {

/// Suggests that a kernel which only A has is the same as one which only B has. Both must have been
/// launched with the same grids and blocks. There is at most one suggestion for a kernel. The
/// likeliest come first.
[[nodiscard]] std::vector<Renamed> suggest_renames(const ProfileSums& a, const ProfileSums& b,
                                                   const std::vector<DiffRow>& rows);

}  // namespace assay::trace
