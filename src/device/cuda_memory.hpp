#pragma once

#include <cstddef>
#include <utility>

#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "device/cuda_api.hpp"
#include "device/cuda_driver.hpp"

namespace assay::device {

/// Makes the primary context of the one visible GPU and lets this thread use it. `schedule` is how
/// threads wait for the GPU (cuda::kScheduleSpin, or 0 for the driver's choice).
[[nodiscard]] Result<void> open_context(const CudaDriver& driver, unsigned schedule);

/// Device memory that processes can share, mapped into this one. Zeros when new.
class CudaMapping {
 public:
  /// `driver` must outlive the mapping. Fails with `resource_exhausted` where memory ran out.
  [[nodiscard]] static Result<CudaMapping> allocate(const CudaDriver& driver, std::size_t size);
  /// Maps what another process allocated with the same `size` and exported.
  [[nodiscard]] static Result<CudaMapping> import(const CudaDriver& driver,
                                                  const UniqueFd& descriptor, std::size_t size);
  CudaMapping(CudaMapping&& other) noexcept;
  CudaMapping& operator=(CudaMapping&& other) noexcept;
  CudaMapping(const CudaMapping&) = delete;
  CudaMapping& operator=(const CudaMapping&) = delete;
  ~CudaMapping();

  [[nodiscard]] cuda::DevicePointer address() const { return address_; }
  /// A descriptor by which another process imports the memory.
  [[nodiscard]] Result<UniqueFd> share() const;

 private:
  CudaMapping(const CudaDriver& driver, cuda::AllocationHandle handle, std::size_t size)
      : driver_(&driver), handle_(handle), size_(size) {}
  [[nodiscard]] Result<void> map();

  const CudaDriver* driver_;  // null once moved from
  cuda::AllocationHandle handle_ = 0;
  cuda::DevicePointer address_ = 0;  // 0: no address is reserved
  std::size_t size_ = 0;
  bool mapped_ = false;
};

}  // namespace assay::device
