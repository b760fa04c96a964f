#pragma once

// Private to gate: the library that Python loads brings nothing of timing.

#include <algorithm>
#include <cstddef>
#include <vector>

namespace assay::gate {

/// Of an even number of values, it is the greater of the two in the middle. `values` must not be
/// empty.
inline double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

}  // namespace assay::gate
