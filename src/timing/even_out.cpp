#include "timing/even_out.hpp"

#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

namespace assay::timing {
namespace {

constexpr std::size_t kFewestOfEach = 3;

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

Evened even_out(std::span<const double> values, std::size_t turns) {
  Evened evened{.values = {values.begin(), values.end()}};
  if (turns < 2 || values.size() < turns * kFewestOfEach) return evened;
  const std::size_t whole = values.size() / turns * turns;  // each turn equally often
  const double mean = mean_of(values.first(whole));
  for (std::size_t turn = 0; turn < turns; ++turn) {
    std::vector<double> alike;
    for (std::size_t i = turn; i < values.size(); i += turns) alike.push_back(values[i]);
    const double offset = mean_of(alike) - mean;
    for (std::size_t i = turn; i < values.size(); i += turns) evened.values[i] -= offset;
  }
  const auto n = static_cast<double>(values.size());
  evened.widen = std::sqrt(n / (n - static_cast<double>(turns)));
  return evened;
}

}  // namespace assay::timing
