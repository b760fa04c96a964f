#pragma once

#include <optional>
#include <span>

#include "model/timing_summary.hpp"

namespace assay::timing {

/// Two openings of the gate, one behind the other, by a clock outside the process that ran the
/// calls: `few` calls (commonly 1) and `many` (K + 1).
struct SlopeRound {
  int few = 1;
  double few_ns = 0;  // from opening the gate to the word that all is done
  int many = 2;
  double many_ns = 0;
};

/// The time of one call: the median over the rounds of how much longer the many took than the few,
/// by call. What opening and seeing cost is in both, and cancels. `scene` is what comes with every
/// call and is not the kernel's (flush, unmask, fingerprint), measured the same way with an empty
/// call, and is taken off; its doubt widens the interval. No interval for fewer than six rounds;
/// nothing where no round has more calls in `many` than in `few`.
[[nodiscard]] std::optional<CallTime> time_of_call(std::span<const SlopeRound> rounds,
                                                   const CallTime& scene = {});

}  // namespace assay::timing
