#pragma once

#include "model/device_info.hpp"
#include "model/outcome.hpp"
#include "model/request.hpp"

namespace assay::queue {

/// Adds to an evaluation's outcome what people need to act on it: the place of the first finding in
/// the reason, the next step to take, and no verdict on speeds that say nothing of a GPU.
void explain(Outcome& outcome, const Request& request, DeviceKind device);

}  // namespace assay::queue
