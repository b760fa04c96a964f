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
  /// What part of its time each may have waited for a processor that others had, 0 to 1.
  double reference_waited = 0;
  double candidate_waited = 0;
};

/// Of batches with the same number in both lists those where both are used.
[[nodiscard]] std::vector<Pair> pairs_of(std::span<const Batch> reference,
                                         std::span<const Batch> candidate);

struct PairedRule {
  double threshold = kSameWithin;
  double confidence = kSpeedConfidence;
  std::size_t turns = 1;  // batches come in turns of so many (timing/even_out.hpp)
  /// By what part the ratio may be off for reasons that last as long as the two processes, which
  /// no number of pairs can show.
  double doubt = 0;
};

/// Compares two kernels by the ratios of their pairs: the middle ratio, an interval around it that
/// assumes nothing of how times are distributed, and the verdict. The interval is widened where
/// neighbouring ratios resemble each other, because they count for fewer then. It is also widened
/// by what waiting for a processor may have cost: a busy machine can be unfair for seconds. The
/// verdict is undecided, and there is no interval, where the pairs are too few for the confidence
/// (8 for 99 %) or a clock read nothing.
[[nodiscard]] Speed compare_paired(std::span<const Pair> pairs, const PairedRule& rule = {});

}  // namespace assay::timing
