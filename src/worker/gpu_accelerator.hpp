#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "device/cuda_api.hpp"
#include "device/cuda_driver.hpp"
#include "tensor/accelerator.hpp"

namespace assay::worker {

/// Works on the worker's tensors in its own context of the GPU, over managed memory that no runner
/// can reach.
class GpuAccelerator final : public tensor::Accelerator {
 public:
  /// `image` is the module made of device_code/work.cu. The calling thread has a context, and is
  /// the one that uses this; `driver` outlives it.
  [[nodiscard]] static Result<std::unique_ptr<GpuAccelerator>> open(
      const device::CudaDriver& driver, const std::filesystem::path& image);
  GpuAccelerator(const GpuAccelerator&) = delete;
  GpuAccelerator& operator=(const GpuAccelerator&) = delete;
  GpuAccelerator(GpuAccelerator&&) = delete;
  GpuAccelerator& operator=(GpuAccelerator&&) = delete;
  ~GpuAccelerator() override { trim(); }

  [[nodiscard]] std::byte* allocate(std::size_t size) override;
  void release(std::byte* memory, std::size_t size) override;
  [[nodiscard]] bool copy(const std::byte* from, std::byte* to, std::size_t size) override;
  [[nodiscard]] bool run(const Launch& launch, void* task, std::span<std::byte> result) override;
  using Accelerator::run;

  /// Frees the memory that is kept for the next tensor of the same size.
  void trim();
  /// Frees it only if less than `size` would be free otherwise. Then the driver would make room by
  /// moving pages to the host, which takes seconds.
  void make_room(std::size_t size);

 private:
  GpuAccelerator(const device::CudaDriver& driver, device::cuda::Module module, unsigned blocks)
      : driver_(driver), module_(module), most_blocks_(blocks) {}
  [[nodiscard]] device::cuda::Function function(const char* name);
  [[nodiscard]] bool has_place_for_result(std::size_t size);

  const device::CudaDriver& driver_;
  device::cuda::Module module_;
  unsigned most_blocks_;  // that are worth it
  std::map<std::string, device::cuda::Function> functions_;
  device::cuda::DevicePointer result_ = 0;
  std::size_t result_size_ = 0;
  std::multimap<std::size_t, std::byte*> spare_;  // by size
};

}  // namespace assay::worker
