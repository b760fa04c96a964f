#pragma once

#include <cstddef>
#include <vector>

#include "judge/compare.hpp"

namespace assay::judge {

/// The same elements of several views of one shape: all, or as many as statistics need.
class Sample {
 public:
  explicit Sample(std::size_t count);
  [[nodiscard]] std::vector<double> of(const OutputView& view) const;

 private:
  std::size_t count_;
  std::size_t step_;
};

/// How far elements are apart; zero where one of them is not finite.
[[nodiscard]] std::vector<double> distances(const std::vector<double>& a,
                                            const std::vector<double>& b);

/// The value that `part` of them do not exceed; zero if there are none.
[[nodiscard]] double quantile(std::vector<double> values, double part);

}  // namespace assay::judge
