#include "timing/signed_rank.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <optional>
#include <span>
#include <vector>

#include "model/timing_summary.hpp"

namespace assay::timing {
namespace {

constexpr std::size_t kExactUpTo = 50;  // beyond, the normal distribution differs by less than 1 %

std::vector<double> averages_of_pairs(std::span<const double> values) {
  std::vector<double> averages;
  averages.reserve(values.size() * (values.size() + 1) / 2);
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = i; j < values.size(); ++j) {
      averages.push_back((values[i] + values[j]) / 2);
    }
  }
  std::ranges::sort(averages);
  return averages;
}

/// How many of the averages lie outside the interval at each end: the most for which sums of ranks
/// that small are as rare as `tail`. Counts the subsets of 1 to n by their sums.
std::size_t outside_exactly(std::size_t n, double tail) {
  std::vector<double> share{std::pow(0.5, static_cast<double>(n))};  // of subsets, by sum
  for (std::size_t rank = 1; rank <= n; ++rank) {
    std::vector<double> next(share.size() + rank);
    for (std::size_t sum = 0; sum < share.size(); ++sum) {
      next[sum] += share[sum];
      next[sum + rank] += share[sum];
    }
    share = std::move(next);
  }
  std::size_t outside = 0;
  double below = 0;
  while (outside < share.size() && below + share[outside] <= tail) below += share[outside++];
  return outside;
}

/// How many standard deviations from the mean a normal variable exceeds as rarely as `tail`.
double normal_quantile(double tail) {
  double low = 0;
  double high = 10;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (0.5 * std::erfc(middle / std::numbers::sqrt2) > tail ? low : high) = middle;
  }
  return low;
}

std::size_t outside_nearly(std::size_t count, double tail) {
  const auto n = static_cast<double>(count);
  const double mean = n * (n + 1) / 4;
  const double deviation = std::sqrt(n * (n + 1) * (2 * n + 1) / 24);
  return static_cast<std::size_t>(std::max(0.0, mean - normal_quantile(tail) * deviation));
}

}  // namespace

SignedRank::SignedRank(std::span<const double> values)
    : count_(values.size()), averages_(averages_of_pairs(values)) {}

double SignedRank::estimate() const {
  const std::size_t middle = averages_.size() / 2;
  return averages_.size() % 2 == 1 ? averages_[middle]
                                   : (averages_[middle - 1] + averages_[middle]) / 2;
}

std::optional<Interval> SignedRank::interval(double confidence) const {
  const double tail = (1 - confidence) / 2;
  const std::size_t outside =
      count_ <= kExactUpTo ? outside_exactly(count_, tail) : outside_nearly(count_, tail);
  if (outside == 0) return std::nullopt;
  return Interval{.low = averages_[outside - 1], .high = averages_[averages_.size() - outside]};
}

}  // namespace assay::timing
