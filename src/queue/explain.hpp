#pragma once

#include "model/device_info.hpp"
#include "model/outcome.hpp"
#include "model/request.hpp"

namespace assay::queue {

/// Completes an outcome for people. The reason gets the place of the first finding. `next_step`
/// says what to try. Speeds that say nothing of a GPU lose their verdict.
void explain(Outcome& outcome, const Request& request, DeviceKind device);

}  // namespace assay::queue
