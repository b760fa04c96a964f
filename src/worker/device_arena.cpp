#include "worker/device_arena.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "device/cuda_driver.hpp"
#include "device/cuda_memory.hpp"
#include "eval/shared_arena.hpp"
#include "model/python_protocol.hpp"

namespace assay::worker {
namespace {

class DeviceArena final : public eval::SharedArena {
 public:
  DeviceArena(const device::CudaDriver& driver, device::CudaMapping mapping, UniqueFd descriptor,
              std::size_t size)
      : driver_(driver),
        mapping_(std::move(mapping)),
        descriptor_(std::move(descriptor)),
        bytes_(size) {}

  std::span<std::byte> bytes() override { return bytes_; }
  [[nodiscard]] int fd() const override { return descriptor_.get(); }
  [[nodiscard]] MemoryKind memory() const override { return MemoryKind::cuda; }
  Result<void> push() override {
    auto copied =
        check(driver_, driver_.copy_to_device(mapping_.address(), bytes_.data(), bytes_.size()),
              "cuMemcpyHtoD");
    // A copy from pageable memory returns before it has arrived, and the runner's context does not
    // wait for ours.
    if (copied) copied = check(driver_, driver_.context_synchronize(), "cuCtxSynchronize");
    return copied;
  }
  Result<void> pull() override {
    return check(driver_, driver_.copy_to_host(bytes_.data(), mapping_.address(), bytes_.size()),
                 "cuMemcpyDtoH");
  }

 private:
  const device::CudaDriver& driver_;
  device::CudaMapping mapping_;
  UniqueFd descriptor_;
  std::vector<std::byte> bytes_;
};

}  // namespace

Result<std::unique_ptr<eval::SharedArena>> make_device_arena(const device::CudaDriver& driver,
                                                             std::size_t size) {
  ASSAY_TRY(device::CudaMapping mapping, device::CudaMapping::allocate(driver, size));
  ASSAY_TRY(UniqueFd descriptor, mapping.share());
  return std::make_unique<DeviceArena>(driver, std::move(mapping), std::move(descriptor), size);
}

}  // namespace assay::worker
