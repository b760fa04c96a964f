#pragma once

#include <optional>

#include "trace/analysis/analysis.hpp"
#include "trace/analysis/passes.hpp"

namespace assay::trace {

/// The iterations around forward passes, where they train: PyTorch's profiler records what autograd
/// and the optimizer do, and no range of the author's says backward. Nothing where the iterations
/// do not hold the passes, or where nothing in them trains.
[[nodiscard]] std::optional<Passes> training_around(Analysis& analysis, const Passes& forward);

}  // namespace assay::trace
