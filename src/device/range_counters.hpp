#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "device/cuda_api.hpp"
#include "device/cuda_driver.hpp"
#include "device/cupti_profiler.hpp"
#include "model/counter_value.hpp"

namespace assay::device {

/// A call of one kernel, which is made once for each pass.
struct CounterCall {
  std::function<cuda::Status()> prepare;  // before each pass; nothing of it is counted
  std::function<cuda::Status()> make;     // returns when the kernel has ended
};

/// What one call counted.
struct CounterReading {
  std::string chip;
  std::size_t passes = 0;
  std::vector<CounterValue> values;  // of the metrics that the chip has
};

/// Counts a call on the device of the current thread's context. What is counted begins and ends
/// with the kernel, on the GPU: a range of our own would also hold the microseconds that its
/// beginning and its end take on the host. The call is made again for each pass by us, because
/// CUPTI would find the caches warm when it repeats a kernel. Metrics that the chip does not have
/// are left out, and so are those without a value. Fails with `unavailable` where CUPTI refuses a
/// step, which the message names, or where the call fails.
[[nodiscard]] Result<CounterReading> read_counters(const CuptiProfiler& cupti,
                                                   const CudaDriver& driver,
                                                   std::span<const std::string> metrics,
                                                   const CounterCall& call);

}  // namespace assay::device
