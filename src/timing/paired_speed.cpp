#include "timing/paired_speed.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "model/timing_summary.hpp"
#include "timing/batch.hpp"
#include "timing/even_out.hpp"
#include "timing/signed_rank.hpp"
#include "timing/statistics.hpp"

namespace assay::timing {
namespace {

constexpr double kSurelyDependent = 2.33;  // deviations: chance has it so once in a hundred

SpeedVerdict judge(const Interval& ratio, double threshold) {
  const auto [low, high] = ratio;
  if (low > 1.0 + threshold) return SpeedVerdict::faster;
  if (high < 1.0 - threshold) return SpeedVerdict::slower;
  if (low >= 1.0 - threshold && high <= 1.0 + threshold) return SpeedVerdict::same;
  return SpeedVerdict::undecided;
}

/// How much each value resembles the one before it, from -1 to 1. By signs about the median, so
/// that one wild pair does not decide it.
double resemblance(std::span<const double> values) {
  const double middle = median_of(values);
  double sum = 0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    sum += (values[i] >= middle) == (values[i - 1] >= middle) ? 1 : -1;
  }
  return sum / static_cast<double>(values.size() - 1);
}

/// What the interval of independent values must be multiplied by.
double widening(std::span<const double> values) {
  const double r = resemblance(values);
  if (r * std::sqrt(static_cast<double>(values.size())) < kSurelyDependent) return 1;
  // Signs of values that correlate by c agree by 2/pi asin(c).
  const double correlation = std::sin(std::min(r, 0.95) * std::acos(0.0));
  return std::sqrt((1 + correlation) / (1 - correlation));
}

/// Of ratios, from that of their logarithms.
std::optional<Interval> interval_of(const SignedRank& centre, double confidence, double factor) {
  const auto interval = centre.interval(confidence);
  if (!interval) return std::nullopt;
  const double middle = centre.estimate();
  const auto widened = [&](double end) { return std::exp(middle + factor * (end - middle)); };
  return Interval{.low = widened(interval->low), .high = widened(interval->high)};
}

Interval with_doubt(const Interval& ratio, double doubt) {
  return {.low = ratio.low / (1 + doubt), .high = ratio.high * (1 + doubt)};
}

}  // namespace

std::vector<Pair> pairs_of(std::span<const Batch> reference, std::span<const Batch> candidate) {
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < std::min(reference.size(), candidate.size()); ++i) {
    if (!reference[i].used() || !candidate[i].used()) continue;
    pairs.push_back({.reference_ns = reference[i].figure(), .candidate_ns = candidate[i].figure()});
  }
  return pairs;
}

Speed compare_paired(std::span<const Pair> pairs, const PairedRule& rule) {
  Speed speed{.threshold = rule.threshold, .confidence = rule.confidence, .pairs = pairs.size()};
  std::vector<double> ratios;  // logarithms: half as fast lies as far off as twice as fast
  for (const Pair& pair : pairs) {
    // A clock that ticks coarsely can read 0; nothing can be said then.
    if (pair.reference_ns <= 0 || pair.candidate_ns <= 0) return speed;
    ratios.push_back(std::log(pair.reference_ns / pair.candidate_ns));
  }
  if (ratios.empty()) return speed;
  const Evened evened = even_out(ratios, rule.turns);
  const double factor = widening(evened.values) * evened.widen;
  const SignedRank centre(evened.values);
  speed.speedup = std::exp(centre.estimate());
  for (const auto& [confidence, interval] :
       {std::pair(0.95, &speed.interval_95), std::pair(rule.confidence, &speed.interval)}) {
    *interval = interval_of(centre, confidence, factor);
    if (*interval) *interval = with_doubt(**interval, rule.doubt);
  }
  if (speed.interval) speed.verdict = judge(*speed.interval, rule.threshold);
  return speed;
}

}  // namespace assay::timing
