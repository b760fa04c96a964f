#include "timing/speed.hpp"

#include "model/timing_summary.hpp"

namespace assay::timing {
namespace {

SpeedVerdict judge(const Interval& ratio) {
  const auto [low, high] = ratio;
  if (low > 1.0 + kSameWithin) return SpeedVerdict::faster;
  if (high < 1.0 - kSameWithin) return SpeedVerdict::slower;
  if (low >= 1.0 - kSameWithin && high <= 1.0 + kSameWithin) return SpeedVerdict::same;
  return SpeedVerdict::undecided;
}

}  // namespace

Speed compare_speed(const Statistics& reference, const Statistics& candidate) {
  // A clock that ticks coarsely can read 0; nothing can be said then.
  if (reference.median <= 0 || candidate.median <= 0) return {};
  Speed speed{.speedup = reference.median / candidate.median};
  const auto& above = reference.median_interval;
  const auto& below = candidate.median_interval;
  if (!above || !below || above->low <= 0 || below->low <= 0) return speed;
  speed.interval = {.low = above->low / below->high, .high = above->high / below->low};
  speed.verdict = judge(*speed.interval);
  return speed;
}

}  // namespace assay::timing
