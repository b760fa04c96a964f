#include "device/cuda_memory.hpp"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <utility>

#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "device/cuda_api.hpp"
#include "device/cuda_driver.hpp"

namespace assay::device {
namespace {

constexpr cuda::AllocationProperties kShareable{};

Result<std::size_t> rounded(const CudaDriver& driver, std::size_t size) {
  std::size_t granularity = 0;
  auto asked =
      check(driver, driver.granularity(&granularity, &kShareable, cuda::kGranularityRecommended),
            "cuMemGetAllocationGranularity");
  if (!asked) return std::unexpected(std::move(asked).error());
  return (size + granularity - 1) / granularity * granularity;
}

}  // namespace

Result<void> open_context(const CudaDriver& driver, unsigned schedule) {
  cuda::Device device{};
  cuda::Context context = nullptr;
  auto done = check(driver, driver.device_get(&device, 0), "cuDeviceGet");
  if (done) {
    done = check(driver, driver.primary_context_set_flags(device, schedule),
                 "cuDevicePrimaryCtxSetFlags");
  }
  if (done) {
    done =
        check(driver, driver.primary_context_retain(&context, device), "cuDevicePrimaryCtxRetain");
  }
  if (done) done = check(driver, driver.context_set_current(context), "cuCtxSetCurrent");
  return done;
}

Result<CudaMapping> CudaMapping::allocate(const CudaDriver& driver, std::size_t size) {
  ASSAY_TRY(const std::size_t whole, rounded(driver, size));
  cuda::AllocationHandle handle = 0;
  auto created =
      check(driver, driver.create_allocation(&handle, whole, &kShareable, 0), "cuMemCreate");
  if (!created) return std::unexpected(std::move(created).error());
  CudaMapping mapping(driver, handle, whole);
  if (auto mapped = mapping.map(); !mapped) return std::unexpected(std::move(mapped).error());
  return mapping;
}

Result<CudaMapping> CudaMapping::import(const CudaDriver& driver, const UniqueFd& descriptor,
                                        std::size_t size) {
  ASSAY_TRY(const std::size_t whole, rounded(driver, size));
  cuda::AllocationHandle handle = 0;
  // The descriptor itself stands where a pointer to a handle does on other systems.
  void* const by_value = reinterpret_cast<void*>(static_cast<std::intptr_t>(descriptor.get()));
  auto imported =
      check(driver, driver.import_allocation(&handle, by_value, cuda::kPosixFileDescriptor),
            "cuMemImportFromShareableHandle");
  if (!imported) return std::unexpected(std::move(imported).error());
  CudaMapping mapping(driver, handle, whole);
  if (auto mapped = mapping.map(); !mapped) return std::unexpected(std::move(mapped).error());
  return mapping;
}

CudaMapping::CudaMapping(CudaMapping&& other) noexcept
    : driver_(std::exchange(other.driver_, nullptr)),
      handle_(other.handle_),
      address_(other.address_),
      size_(other.size_),
      mapped_(other.mapped_) {}

CudaMapping& CudaMapping::operator=(CudaMapping&& other) noexcept {
  std::swap(driver_, other.driver_);
  std::swap(handle_, other.handle_);
  std::swap(address_, other.address_);
  std::swap(size_, other.size_);
  std::swap(mapped_, other.mapped_);
  return *this;
}

CudaMapping::~CudaMapping() {
  if (driver_ == nullptr) return;
  if (mapped_) driver_->unmap(address_, size_);
  if (address_ != 0) driver_->free_address(address_, size_);
  driver_->release_allocation(handle_);
}

Result<void> CudaMapping::map() {
  auto done =
      check(*driver_, driver_->reserve_address(&address_, size_, 0, 0, 0), "cuMemAddressReserve");
  if (done) done = check(*driver_, driver_->map(address_, size_, 0, handle_, 0), "cuMemMap");
  if (!done) return done;
  mapped_ = true;
  const cuda::AccessDescription access{};
  return check(*driver_, driver_->set_access(address_, size_, &access, 1), "cuMemSetAccess");
}

Result<UniqueFd> CudaMapping::share() const {
  int descriptor = -1;
  auto shared = check(
      *driver_, driver_->export_allocation(&descriptor, handle_, cuda::kPosixFileDescriptor, 0),
      "cuMemExportToShareableHandle");
  if (!shared) return std::unexpected(std::move(shared).error());
  return UniqueFd(descriptor);
}

}  // namespace assay::device
