#pragma once

#include <cstddef>

#include "base/result.hpp"
#include "device/cuda_api.hpp"
#include "device/cuda_driver.hpp"

namespace assay::runner {

/// Leaves nothing in a GPU's L2 cache that a kernel could find, and nothing that it would have to
/// write to memory first. What is only overwritten stays there as such, and would be counted as
/// bytes that the kernel wrote.
class CleanCache {
 public:
  /// `driver` outlives this; the calling thread has a context.
  [[nodiscard]] static Result<CleanCache> open(const device::CudaDriver& driver);

  /// Reads more than the cache holds, on this stream.
  [[nodiscard]] device::cuda::Status clean(device::cuda::Stream stream);

 private:
  explicit CleanCache(const device::CudaDriver& driver) : driver_(&driver) {}

  const device::CudaDriver* driver_;
  device::cuda::Function read_ = nullptr;
  device::cuda::DevicePointer memory_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace assay::runner
