#pragma once

#include <cstddef>
#include <memory>

#include "base/result.hpp"
#include "device/cuda_driver.hpp"
#include "eval/shared_arena.hpp"

namespace assay::worker {

/// An arena in the memory of a GPU, and our copy of it in the host's. The calling thread must have
/// a context; `driver` outlives the arena.
[[nodiscard]] Result<std::unique_ptr<eval::SharedArena>> make_device_arena(
    const device::CudaDriver& driver, std::size_t size);

}  // namespace assay::worker
