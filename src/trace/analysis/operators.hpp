#pragma once

#include "base/result.hpp"
#include "trace/analysis/analysis.hpp"
#include "trace/table.hpp"

namespace assay::trace {

/// `operators`: kernel time by the operator of PyTorch that launched it, and by the author's
/// innermost range around that. Forward and backward are kept apart. Fails with `not_found` where
/// the profile holds no operators.
[[nodiscard]] Result<Table> operator_table(Analysis& analysis);

}  // namespace assay::trace
