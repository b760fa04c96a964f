#pragma once

#include <string_view>

#include "base/result.hpp"
#include "trace/ncu/report.hpp"

namespace assay::trace {

/// Reads `ncu --csv` output. It may be the raw page (a column per metric, a row of units) or the
/// details page (a row per metric). It may stand between lines that the program printed. Values are
/// brought back to base units, but have only the digits that were printed. Fails where there is no
/// page.
[[nodiscard]] Result<NcuReport> parse_ncu_csv(std::string_view text);

}  // namespace assay::trace
