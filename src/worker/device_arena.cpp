#include "worker/device_arena.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include <fmt/core.h>
#include <sys/mman.h>

#include "base/error.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "device/cuda_api.hpp"
#include "device/cuda_driver.hpp"
#include "device/cuda_memory.hpp"
#include "eval/shared_arena.hpp"
#include "model/python_protocol.hpp"

namespace assay::worker {
namespace {

/// Memory of the host that the device copies to and from. Much of it is pinned, which makes copies
/// several times as fast; pinning little would take longer than it saves.
class StagingMemory {
 public:
  static Result<StagingMemory> allocate(const device::CudaDriver& driver, std::size_t size) {
    constexpr std::size_t kMuch = std::size_t{64} << 20U;
    void* const memory =
        ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
      return fail(ErrorCode::resource_exhausted,
                  fmt::format("no {} bytes of memory for the tensors' copies", size));
    }
    StagingMemory staging(driver, {static_cast<std::byte*>(memory), size});
    if (size >= kMuch) {
      ::madvise(memory, size, MADV_HUGEPAGE);  // 200 times fewer page faults; only a hint
      staging.pinned_ = driver.register_host_memory(memory, size, 0) == device::cuda::kSuccess;
    }
    return staging;
  }
  StagingMemory(StagingMemory&& other) noexcept
      : driver_(other.driver_),
        bytes_(std::exchange(other.bytes_, {})),
        pinned_(std::exchange(other.pinned_, false)) {}
  StagingMemory(const StagingMemory&) = delete;
  StagingMemory& operator=(const StagingMemory&) = delete;
  StagingMemory& operator=(StagingMemory&&) = delete;
  ~StagingMemory() {
    if (pinned_) driver_.unregister_host_memory(bytes_.data());
    if (!bytes_.empty()) ::munmap(bytes_.data(), bytes_.size());
  }

  [[nodiscard]] std::span<std::byte> bytes() const { return bytes_; }

 private:
  StagingMemory(const device::CudaDriver& driver, std::span<std::byte> bytes)
      : driver_(driver), bytes_(bytes) {}

  const device::CudaDriver& driver_;
  std::span<std::byte> bytes_;
  bool pinned_ = false;
};

class DeviceArena final : public eval::SharedArena {
 public:
  DeviceArena(const device::CudaDriver& driver, device::CudaMapping mapping, UniqueFd descriptor,
              StagingMemory staging)
      : driver_(driver),
        mapping_(std::move(mapping)),
        descriptor_(std::move(descriptor)),
        staging_(std::move(staging)) {}

  std::span<std::byte> bytes() override { return staging_.bytes(); }
  [[nodiscard]] int fd() const override { return descriptor_.get(); }
  [[nodiscard]] MemoryKind memory() const override { return MemoryKind::cuda; }
  Result<void> push() override {
    auto copied =
        check(driver_, driver_.copy_to_device(mapping_.address(), bytes().data(), bytes().size()),
              "cuMemcpyHtoD");
    // A copy from pageable memory returns before it has arrived, and the runner's context does not
    // wait for ours.
    if (copied) copied = check(driver_, driver_.context_synchronize(), "cuCtxSynchronize");
    return copied;
  }
  Result<void> pull() override {
    return check(driver_, driver_.copy_to_host(bytes().data(), mapping_.address(), bytes().size()),
                 "cuMemcpyDtoH");
  }

 private:
  const device::CudaDriver& driver_;
  device::CudaMapping mapping_;
  UniqueFd descriptor_;
  StagingMemory staging_;
};

}  // namespace

Result<std::unique_ptr<eval::SharedArena>> make_device_arena(const device::CudaDriver& driver,
                                                             std::size_t size) {
  ASSAY_TRY(device::CudaMapping mapping, device::CudaMapping::allocate(driver, size));
  ASSAY_TRY(UniqueFd descriptor, mapping.share());
  ASSAY_TRY(StagingMemory staging, StagingMemory::allocate(driver, size));
  return std::make_unique<DeviceArena>(driver, std::move(mapping), std::move(descriptor),
                                       std::move(staging));
}

}  // namespace assay::worker
