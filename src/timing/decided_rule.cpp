#include "timing/decided_rule.hpp"

#include <algorithm>
#include <cmath>

#include "model/timing_summary.hpp"
#include "timing/paired_speed.hpp"
#include "timing/progress.hpp"

namespace assay::timing {
namespace {

constexpr double kNarrow = 0.5;   // half the interval over the threshold
constexpr double kFarOff = 0.25;  // and over the way to the threshold

}  // namespace

bool DecidedRule::enough(const Progress& progress) const {
  const Speed speed = compare_paired(progress.pairs, rule);
  if (!speed.interval) return false;
  if (speed.verdict == SpeedVerdict::same) return true;
  const double half = std::log(speed.interval->high / speed.interval->low) / 2;
  const double beyond = std::abs(std::log(speed.speedup)) - rule.threshold;
  return half <= std::max(kNarrow * rule.threshold, kFarOff * beyond);
}

}  // namespace assay::timing
