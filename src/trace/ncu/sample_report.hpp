#pragma once

#include "trace/ncu/report.hpp"

namespace assay::trace::testing {

/// Two launches as an H200 reports them, with round numbers: #0 a bf16 matrix product of
/// 4096 x 4096 x 4096 on wgmma, #1 an elementwise kernel that moves memory.
[[nodiscard]] NcuReport sample_report();

}  // namespace assay::trace::testing
