#include "timing/speed.hpp"

#include "model/timing_summary.hpp"

namespace assay::timing {
namespace {

SpeedVerdict judge(double low, double high) {
  if (low > 1.0 + kSameWithin) return SpeedVerdict::faster;
  if (high < 1.0 - kSameWithin) return SpeedVerdict::slower;
  if (low >= 1.0 - kSameWithin && high <= 1.0 + kSameWithin) return SpeedVerdict::same;
  return SpeedVerdict::undecided;
}

}  // namespace

Speed compare_speed(const Statistics& reference, const Statistics& candidate) {
  // A clock that ticks coarsely can read 0; nothing can be said then.
  if (candidate.median_low <= 0 || reference.median_low <= 0) return {};
  const double low = reference.median_low / candidate.median_high;
  const double high = reference.median_high / candidate.median_low;
  return {.speedup = reference.median / candidate.median,
          .low = low,
          .high = high,
          .verdict = judge(low, high)};
}

}  // namespace assay::timing
