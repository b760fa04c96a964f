#include "timing/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/timing_summary.hpp"

namespace assay::timing {
namespace {

double percentile(const std::vector<double>& sorted, double fraction) {
  const double position = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double weight = position - static_cast<double>(below);
  return sorted[below] + weight * (sorted[above] - sorted[below]);
}

}  // namespace

Statistics statistics_of(std::span<const double> samples_ns) {
  if (samples_ns.empty()) return {};
  std::vector<double> sorted(samples_ns.begin(), samples_ns.end());
  std::ranges::sort(sorted);
  const auto n = static_cast<double>(sorted.size());
  Statistics s{.mean = std::accumulate(sorted.begin(), sorted.end(), 0.0) / n,
               .min = sorted.front(),
               .max = sorted.back(),
               .median = percentile(sorted, 0.5),
               .percentile_95 = percentile(sorted, 0.95),
               .percentile_99 = percentile(sorted, 0.99)};
  double squares = 0;
  for (const double x : sorted) squares += (x - s.mean) * (x - s.mean);
  s.std = std::sqrt(squares / n);
  // Distribution-free interval for the median: kernel times are skewed to the right, so a normal
  // interval about the mean would be too narrow above and too wide below.
  const double half_width = 0.98 * std::sqrt(n);
  const double low = std::max(0.0, std::floor(n / 2 - half_width));
  const double high = std::min(n - 1, std::ceil(n / 2 + half_width));
  s.median_low = sorted[static_cast<std::size_t>(low)];
  s.median_high = sorted[static_cast<std::size_t>(high)];
  return s;
}

TimingSummary summarize(std::vector<double> samples_ns, std::string method) {
  const Statistics statistics = statistics_of(samples_ns);
  return {.samples = std::move(samples_ns), .statistics = statistics, .method = std::move(method)};
}

}  // namespace assay::timing
