#pragma once

#include <string_view>

#include "base/result.hpp"
#include "trace/ncu/report.hpp"

namespace assay::trace {

/// Reads an `.ncu-rep` file's bytes without the vendor's library. Values are in base units as
/// stored. Fails where the container is damaged; damage inside a message is counted instead.
[[nodiscard]] Result<NcuReport> parse_ncu_rep(std::string_view bytes);

}  // namespace assay::trace
