#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "device/cuda_api.hpp"
#include "device/cuda_driver.hpp"
#include "model/io_contract.hpp"
#include "model/runner_protocol.hpp"

namespace assay::runner {

/// Puts every array of a launch into an allocation of its own and of its exact size. That is for
/// tools that know allocations and nothing of arenas. They are never freed: the process makes one
/// evaluation.
class SeparateArrays {
 public:
  using Values = std::vector<std::variant<ArenaPart, ScalarArg>>;

  /// `driver` outlives this.
  [[nodiscard]] static Result<SeparateArrays> allocate(const device::CudaDriver& driver,
                                                       const Values& values);

  /// The same values, with offsets that count from base().
  [[nodiscard]] const Values& values() const { return values_; }
  [[nodiscard]] device::cuda::DevicePointer base() const { return base_; }

  /// Copies from the arena what counts as written. The copy goes through this process. The tool
  /// takes memory that another process wrote for never written, and so it would a copy on the
  /// device.
  [[nodiscard]] device::cuda::Status fill(device::cuda::DevicePointer arena) const;

  /// A line for each array: address, bytes, size of an element, name. It explains the addresses in
  /// a tool's report (metrics/sanitizer_arrays.hpp).
  [[nodiscard]] std::string describe() const;

 private:
  struct Copy {
    std::size_t from = 0;  // in the arena
    device::cuda::DevicePointer to = 0;
    std::size_t size = 0;
  };
  explicit SeparateArrays(const device::CudaDriver& driver) : driver_(&driver) {}

  const device::CudaDriver* driver_;
  Values values_;
  device::cuda::DevicePointer base_ = 0;
  std::vector<Copy> copies_;
};

}  // namespace assay::runner
