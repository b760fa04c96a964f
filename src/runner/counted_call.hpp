#pragma once

#include "device/cuda_driver.hpp"
#include "device/range_counters.hpp"
#include "model/runner_protocol.hpp"

namespace assay::runner {

/// Makes the call as often as its counters need, with CUPTI inside this process. `call` prepares
/// everything but the caches. If anything goes wrong, the answer has no values, and says why.
[[nodiscard]] Counted count_call(const device::CudaDriver& driver, const CountCommand& command,
                                 const device::CounterCall& call);

}  // namespace assay::runner
