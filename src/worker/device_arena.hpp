#pragma once

#include <cstddef>
#include <memory>

#include "base/result.hpp"
#include "device/cuda_driver.hpp"
#include "eval/shared_arena.hpp"
#include "tensor/accelerator.hpp"

namespace assay::worker {

/// An arena in the memory of a GPU. A large one stays there, and `accelerator` works on it. We keep
/// a copy in the host's memory if it is small, or if there is no accelerator. The calling thread
/// must have a context. `driver` and `accelerator` outlive the arena.
[[nodiscard]] Result<std::unique_ptr<eval::SharedArena>> make_device_arena(
    const device::CudaDriver& driver, tensor::Accelerator* accelerator, std::size_t size);

}  // namespace assay::worker
