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

/// Two profiles' sums, of parts that can be held against each other.
struct LikePair {
  ProfileSums a;
  ProfileSums b;
  Basis basis;
};

/// Of events: by the ranges asked for; by iterations, where both have the same loop; else as sums
/// are. Fails with `not_found` where what was asked for is not in both.
[[nodiscard]] Result<LikePair> like_with_like(Analysis& a, Analysis& b, const LikeOptions& options);

/// Of sums: in total where both launched as many kernels, else a launch. Fails with
/// `invalid_argument` where iterations or ranges were asked for.
[[nodiscard]] Result<LikePair> like_with_like(ProfileSums a, ProfileSums b,
                                              const LikeOptions& options);

}  // namespace assay::trace
