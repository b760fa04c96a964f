#include "timing/drift_rule.hpp"

#include <cmath>

#include "timing/progress.hpp"
#include "timing/statistics.hpp"

namespace assay::timing {

bool DriftRule::enough(const Progress& progress) const {
  if (window == 0 || progress.figures.size() < 2 * window) return false;
  const auto recent = progress.figures.last(2 * window);
  const double before = median_of(recent.first(window));
  const double now = median_of(recent.last(window));
  return std::abs(now - before) <= relative * before;
}

}  // namespace assay::timing
