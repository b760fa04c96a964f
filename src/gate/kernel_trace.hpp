#pragma once

#include "base/result.hpp"
#include "device/cuda_api.hpp"
#include "gate/round.hpp"
#include "gate/stage.hpp"
#include "model/timing_summary.hpp"

namespace assay::gate {

/// What the GPU's own records tell of a round. That is the median of its calls' busy times, and
/// every kernel, copy and memset as often as one call has it. Fails, and says why, if the records
/// are not whole or another profiler has them. It slows down every later call of the process.
[[nodiscard]] Result<KernelTime> trace_round(const Stage& stage, const RoundPlan& plan,
                                             device::cuda::Stream stream, const TimedCall& call);

}  // namespace assay::gate
