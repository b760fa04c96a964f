#pragma once

#include <functional>

#include "base/result.hpp"
#include "device/cuda_api.hpp"
#include "device/cuda_driver.hpp"

namespace assay::runner {

/// What one call launches, captured once to be launched as a whole. It lasts as long as the
/// process.
class CallGraph {
 public:
  using Call = std::function<device::cuda::Status()>;
  /// `call` launches on `stream` alone.
  [[nodiscard]] static Result<CallGraph> capture(const device::CudaDriver& driver,
                                                 device::cuda::Stream stream, const Call& call);

  [[nodiscard]] device::cuda::Status launch(device::cuda::Stream stream) const {
    return driver_->launch_graph(execution_, stream);
  }

 private:
  CallGraph(const device::CudaDriver& driver, device::cuda::GraphExecution execution)
      : driver_(&driver), execution_(execution) {}

  const device::CudaDriver* driver_;
  device::cuda::GraphExecution execution_;
};

}  // namespace assay::runner
