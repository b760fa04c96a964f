#include "timing/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <optional>
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

/// Distribution-free: kernel times are skewed to the right, so a normal interval about the mean
/// would be too narrow above and too wide below.
std::optional<Interval> interval_of_median(const std::vector<double>& sorted) {
  if (sorted.size() < kFewestForInterval) return std::nullopt;
  const auto n = static_cast<double>(sorted.size());
  const double half_width = 0.98 * std::sqrt(n);  // in places: half of 1.96 √n
  const auto low = static_cast<std::size_t>(std::max(0.0, (n - 1) / 2 - half_width));
  return Interval{.low = sorted[low], .high = sorted[sorted.size() - 1 - low]};
}

}  // namespace

double percentile_of(std::span<const double> values, double fraction) {
  if (values.empty()) return 0;
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  return percentile(sorted, fraction);
}

double median_of(std::span<const double> values) {
  return percentile_of(values, 0.5);
}

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
  s.median_interval = interval_of_median(sorted);
  return s;
}

TimingSummary summarize(std::vector<double> samples_ns, std::string method) {
  const Statistics statistics = statistics_of(samples_ns);
  return {.samples = std::move(samples_ns), .statistics = statistics, .method = std::move(method)};
}

}  // namespace assay::timing
