#pragma once

#include <vector>

#include "judge/compare.hpp"

namespace assay::judge {

/// Whether two answers of indices point at equal numbers of one of the inputs, wherever they
/// differ. Of equal numbers any may be the largest, and any may come first. An index that is given
/// twice is no tie, unless the expected ones repeat themselves too.
[[nodiscard]] bool are_ties(const OutputView& got, const OutputView& want,
                            const std::vector<OutputView>& inputs);

}  // namespace assay::judge
