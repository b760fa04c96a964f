#pragma once

#include <string_view>
#include <vector>

#include "model/finding.hpp"

namespace assay::metrics {

/// Says which array the addresses of findings belong to, and at which index. It is the array they
/// lie in or next to. `printed` holds the runner's lines about its arrays
/// (runner/separate_arrays.hpp), among whatever else was printed. Without them the findings stay as
/// they are.
void name_arrays(std::string_view printed, std::vector<Finding>& findings);

}  // namespace assay::metrics
