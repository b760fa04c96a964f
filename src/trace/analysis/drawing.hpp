#pragma once

#include "trace/analysis/analysis.hpp"
#include "trace/figures.hpp"

namespace assay::trace {

/// A timeline with a lane per stream and per thread's ranges, and where kernel time goes.
[[nodiscard]] Figures draw(Analysis& analysis);

}  // namespace assay::trace
