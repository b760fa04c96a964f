#pragma once

#include <string>
#include <vector>

#include "model/device_info.hpp"

namespace assay::device {

/// The chips, as CUPTI names them, that GPUs of this capability are made with; none where it is
/// newer than this list.
[[nodiscard]] std::vector<std::string> chips_with(ComputeCapability capability);

}  // namespace assay::device
