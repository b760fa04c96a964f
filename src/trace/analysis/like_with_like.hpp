#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"
#include "trace/analysis/analysis.hpp"
#include "trace/analysis/attribution.hpp"
#include "trace/analysis/basis.hpp"
#include "trace/analysis/profile_sums.hpp"

namespace assay::trace {

struct LikeOptions {
  std::optional<Per> per;  // none: what fits both
  std::string range;       // compare one of these ranges
  RangeRule rule = RangeRule::both;
};

/// The sums of two profiles, of parts that can be compared.
struct LikePair {
  ProfileSums a;
  ProfileSums b;
  Basis basis;
};

/// For profiles with events. Compares by the ranges asked for, or by iterations if both have the
/// same loop. Otherwise it compares as sums are compared. Fails with `not_found` where what was
/// asked for is not in both.
[[nodiscard]] Result<LikePair> like_with_like(Analysis& a, Analysis& b, const LikeOptions& options);

/// For profiles with sums alone. Compares totals if both launched as many kernels, otherwise single
/// launches. Fails with `invalid_argument` where iterations or ranges were asked for.
[[nodiscard]] Result<LikePair> like_with_like(ProfileSums a, ProfileSums b,
                                              const LikeOptions& options);

}  // namespace assay::trace
