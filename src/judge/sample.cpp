#include "judge/sample.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "judge/compare.hpp"
#include "model/dtype.hpp"
#include "tensor/element.hpp"

namespace assay::judge {

Sample::Sample(std::size_t count, std::size_t most)
    : count_(count), step_(count <= most ? 1 : (count / most) | 1U) {}  // odd: no column alone

std::vector<double> Sample::of(const OutputView& view) const {
  return tensor::every_nth(view.dtype, view.bytes.first(count_ * size_of(view.dtype)), step_);
}

std::vector<double> distances(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> result(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double distance = std::abs(a[i] - b[i]);
    result[i] = std::isfinite(distance) ? distance : 0;
  }
  return result;
}

double quantile(std::vector<double> values, double part) {
  if (values.empty()) return 0;
  const auto last = static_cast<double>(values.size() - 1);
  const auto at = static_cast<std::ptrdiff_t>(std::ceil(part * last));
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

}  // namespace assay::judge
