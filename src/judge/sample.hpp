#pragma once

#include <cstddef>
#include <vector>

#include "judge/compare.hpp"

namespace assay::judge {

/// The same elements of several views of one shape: all, or as many as statistics need.
class Sample {
 public:
  // Enough for the 0.999 quantile: 65 elements lie beyond it.
  static constexpr std::size_t kMost = std::size_t{1} << 16U;

  explicit Sample(std::size_t count, std::size_t most = kMost);
  [[nodiscard]] std::vector<double> of(const OutputView& view) const;
  /// From one element to the next.
  [[nodiscard]] std::size_t step() const { return step_; }

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
