#include "worker/device_arena.hpp"

#include <bit>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
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
#include "tensor/accelerator.hpp"
#include "tensor/arena.hpp"
#include "tensor/bytes.hpp"

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

class StagedArena final : public eval::MirroredArena {
 public:
  StagedArena(const device::CudaDriver& driver, device::CudaMapping mapping, UniqueFd descriptor,
              StagingMemory staging)
      : driver_(driver),
        mapping_(std::move(mapping)),
        descriptor_(std::move(descriptor)),
        staging_(std::move(staging)) {}

  [[nodiscard]] std::span<std::byte> bytes() const override { return staging_.bytes(); }
  [[nodiscard]] int fd() const override { return descriptor_.get(); }
  [[nodiscard]] MemoryKind memory() const override { return MemoryKind::cuda; }
  Result<void> publish() override {
    auto copied =
        check(driver_, driver_.copy_to_device(mapping_.address(), bytes().data(), bytes().size()),
              "cuMemcpyHtoD");
    // A copy from pageable memory returns before it has arrived, and the runner's context does not
    // wait for ours.
    if (copied) copied = check(driver_, driver_.context_synchronize(), "cuCtxSynchronize");
    return copied;
  }
  Result<void> fetch() override {
    return check(driver_, driver_.copy_to_host(bytes().data(), mapping_.address(), bytes().size()),
                 "cuMemcpyDtoH");
  }

 private:
  const device::CudaDriver& driver_;
  device::CudaMapping mapping_;
  UniqueFd descriptor_;
  StagingMemory staging_;
};

/// Whatever is done with it is done on the GPU, and seen at once by both sides.
class LargeArena final : public eval::SharedArena {
 public:
  LargeArena(tensor::Accelerator& accelerator, device::CudaMapping mapping, UniqueFd descriptor,
             std::size_t size)
      : accelerator_(accelerator),
        mapping_(std::move(mapping)),
        descriptor_(std::move(descriptor)),
        size_(size) {}

  [[nodiscard]] std::size_t size() const override { return mapping_ ? size_ : 0; }
  [[nodiscard]] int fd() const override { return descriptor_.get(); }
  [[nodiscard]] MemoryKind memory() const override { return MemoryKind::cuda; }

  Result<void> put(std::size_t offset, std::span<const std::byte> bytes) override {
    return done(bytes.empty() || accelerator_.copy(bytes.data(), at(offset), bytes.size()),
                "copy to the GPU");
  }
  Result<void> poison(std::size_t offset, std::size_t size, const tensor::Poison& with) override {
    return done(tensor::fill_on(accelerator_, at(offset), size, tensor::pattern_of(with)),
                "fill memory of the GPU");
  }
  Result<void> publish() override { return {}; }

  Result<void> fetch() override {
    looks_.clear();
    return {};
  }
  void forget_looks() override { looks_.clear(); }
  Result<bool> holds(std::size_t offset, std::span<const std::byte> bytes) override {
    if (tensor::accelerator_of({bytes}) == nullptr) {  // little, in the host's memory
      ASSAY_TRY(const auto here, look(offset, bytes.size()));
      return tensor::same_bytes(here, bytes);
    }
    const auto same = tensor::same_on(accelerator_, at(offset), bytes.data(), bytes.size());
    if (!same) return fail(ErrorCode::unavailable, "cannot compare memory of the GPU");
    return *same;
  }
  Result<std::span<const std::byte>> look(std::size_t offset, std::size_t size) override {
    auto known = looks_.find(offset);
    if (known == looks_.end() || known->second.size() != size) {
      known = looks_.insert_or_assign(offset, tensor::Bytes(size)).first;
      const bool copied =
          size == 0 || accelerator_.copy(at(offset), known->second.span().data(), size);
      if (auto got = done(copied, "copy from the GPU"); !got) return std::unexpected(got.error());
    }
    return known->second.span();
  }
  void close() override {
    mapping_.reset();
    descriptor_ = UniqueFd();
  }

 private:
  [[nodiscard]] std::byte* at(std::size_t offset) const {
    return std::bit_cast<std::byte*>(mapping_->address() + offset);
  }
  static Result<void> done(bool worked, const char* what) {
    if (worked) return {};
    return fail(ErrorCode::unavailable, fmt::format("cannot {}", what));
  }

  tensor::Accelerator& accelerator_;
  std::optional<device::CudaMapping> mapping_;
  UniqueFd descriptor_;
  std::size_t size_;
  std::map<std::size_t, tensor::Bytes> looks_;  // by offset
};

}  // namespace

Result<std::unique_ptr<eval::SharedArena>> make_device_arena(const device::CudaDriver& driver,
                                                             tensor::Accelerator* accelerator,
                                                             std::size_t size) {
  ASSAY_TRY(device::CudaMapping mapping, device::CudaMapping::allocate(driver, size));
  ASSAY_TRY(UniqueFd descriptor, mapping.share());
  if (accelerator != nullptr && size >= tensor::kWorthAccelerating) {
    return std::make_unique<LargeArena>(*accelerator, std::move(mapping), std::move(descriptor),
                                        size);
  }
  ASSAY_TRY(StagingMemory staging, StagingMemory::allocate(driver, size));
  return std::make_unique<StagedArena>(driver, std::move(mapping), std::move(descriptor),
                                       std::move(staging));
}

}  // namespace assay::worker
