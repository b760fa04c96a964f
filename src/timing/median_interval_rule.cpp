#include "timing/median_interval_rule.hpp"

#include "timing/progress.hpp"
#include "timing/statistics.hpp"

namespace assay::timing {

bool MedianIntervalRule::enough(const Progress& progress) const {
  const auto statistics = statistics_of(progress.figures);
  if (!statistics.median_interval) return false;
  const auto [low, high] = *statistics.median_interval;
  const double most = relative * statistics.median;
  return high - statistics.median <= most && statistics.median - low <= most;
}

}  // namespace assay::timing
