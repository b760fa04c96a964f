#include "timing/standard_error_rule.hpp"

#include <cmath>

#include "timing/progress.hpp"
#include "timing/statistics.hpp"

namespace assay::timing {
namespace {

constexpr double kDeviationsBetweenQuartiles = 1.349;  // of a normal distribution

}  // namespace

bool StandardErrorRule::enough(const Progress& progress) const {
  const auto n = progress.figures.size();
  if (n < fewest) return false;
  const double spread =
      percentile_of(progress.figures, 0.75) - percentile_of(progress.figures, 0.25);
  const double error = spread / kDeviationsBetweenQuartiles / std::sqrt(static_cast<double>(n));
  return error <= relative * median_of(progress.figures);
}

}  // namespace assay::timing
