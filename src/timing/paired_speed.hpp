#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "model/timing_summary.hpp"
#include "timing/batch.hpp"

namespace assay::timing {

/// One batch of each kernel, taken one right after the other: what slows the machine for a while
/// slows both.
struct Pair {
  double reference_ns = 0;  // of one call: the batch's figure
  double candidate_ns = 0;
};

/// Pairs batches that have the same position in both lists. A pair is left out if one of its
/// batches is not used.
[[nodiscard]] std::vector<Pair> pairs_of(std::span<const Batch> reference,
                                         std::span<const Batch> candidate);

struct PairedRule {
  double threshold = kSameWithin;
  double confidence = kSpeedConfidence;
  std::size_t turns = 1;  // batches come in turns of so many (timing/even_out.hpp)
  /// By what part the ratio may be off for reasons that last as long as the two processes. No
  /// number of pairs can show those.
  double doubt = 0;
};

/// Compares two kernels by the ratios of their pairs. Gives the middle ratio, an interval around
/// it, and the verdict. The interval assumes nothing of how times are distributed. It is widened
/// where neighbouring ratios resemble each other, because they count for fewer then. If the pairs
/// are too few for the confidence (8 for 99 %), or a clock read nothing, there is no interval and
/// the verdict is undecided.
[[nodiscard]] Speed compare_paired(std::span<const Pair> pairs, const PairedRule& rule = {});

}  // namespace assay::timing
