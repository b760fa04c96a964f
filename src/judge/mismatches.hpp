#pragma once

#include <cstddef>
#include <vector>

#include "judge/compare.hpp"

namespace assay::judge {

/// Which elements of two views of one shape and dtype differ. Takes long if many do.
[[nodiscard]] std::vector<std::size_t> mismatches(const OutputView& got, const OutputView& want,
                                                  const Limit& limit);

/// Whether one element of them agrees.
[[nodiscard]] bool agrees_at(const OutputView& got, const OutputView& want, const Limit& limit,
                             std::size_t element);

}  // namespace assay::judge
