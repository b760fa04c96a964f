#pragma once

#include <vector>

#include "device/cuda_driver.hpp"
#include "model/counter_value.hpp"
#include "model/kernel_resources.hpp"
#include "model/runner_protocol.hpp"

namespace assay::runner {

/// What is known of a launch without counting, under the names that Nsight Compute has for it.
/// Which kernels fit is worked out for GPUs whose warps have registers in four separate parts of a
/// multiprocessor, which all since Volta have.
[[nodiscard]] std::vector<CounterValue> launch_facts(const device::CudaDriver& driver,
                                                     const LaunchPlan& plan,
                                                     const KernelResources& resources);

}  // namespace assay::runner
