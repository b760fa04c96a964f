#pragma once

#include <vector>

#include "trace/ncu/report.hpp"

namespace assay::trace {

/// Makes one report of several, as if one run of Nsight Compute had made it. Launches are in order,
/// each with its sections. The session is the first one's.
[[nodiscard]] NcuReport merge_reports(std::vector<NcuReport> reports);

}  // namespace assay::trace
