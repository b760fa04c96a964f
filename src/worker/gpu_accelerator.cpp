#include "worker/gpu_accelerator.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "device/cuda_api.hpp"
#include "device/cuda_driver.hpp"

namespace assay::worker {
namespace {

namespace cuda = device::cuda;

constexpr unsigned kThreads = 256;
constexpr unsigned kBlocksPerMultiprocessor = 16;
constexpr std::uint64_t kElementsPerThread = 4;

cuda::DevicePointer address_of(const void* memory) {
  return std::bit_cast<cuda::DevicePointer>(memory);
}

}  // namespace

Result<std::unique_ptr<GpuAccelerator>> GpuAccelerator::open(const device::CudaDriver& driver,
                                                             const std::filesystem::path& image) {
  int shared = 0;
  driver.device_attribute(&shared, cuda::DeviceAttribute::concurrent_managed_access, 0);
  if (shared == 0 || driver.allocate_managed == nullptr || driver.prefetch == nullptr) {
    return fail(ErrorCode::unavailable,
                "the processor cannot reach this GPU's memory while the GPU is at work");
  }
  ASSAY_TRY(const std::string code, read_file(image));
  cuda::Module module = nullptr;
  const auto loaded =
      check(driver, driver.module_load_data(&module, code.data()), "cuModuleLoadData");
  if (!loaded) return std::unexpected(loaded.error());
  int multiprocessors = 0;
  driver.device_attribute(&multiprocessors, cuda::DeviceAttribute::multiprocessor_count, 0);
  const auto blocks =
      static_cast<unsigned>(std::max(multiprocessors, 1)) * kBlocksPerMultiprocessor;
  return std::unique_ptr<GpuAccelerator>(new GpuAccelerator(driver, module, blocks));
}

std::byte* GpuAccelerator::allocate(std::size_t size) {
  if (const auto spare = spare_.find(size); spare != spare_.end()) {
    std::byte* const memory = spare->second;
    spare_.erase(spare);
    return memory;
  }
  make_room(size);
  cuda::DevicePointer address = 0;
  if (driver_.allocate_managed(&address, size, cuda::kAttachGlobal) != cuda::kSuccess) {
    return nullptr;
  }
  // Otherwise every page would come by a fault of its own, ten times slower. Where the GPU is full,
  // pages stay with the processor until they are needed.
  if (driver_.prefetch(address, size, 0, nullptr) == cuda::kSuccess) driver_.context_synchronize();
  return std::bit_cast<std::byte*>(address);
}

void GpuAccelerator::release(std::byte* memory, std::size_t size) {
  spare_.emplace(size, memory);
}

void GpuAccelerator::trim() {
  for (const auto& [size, memory] : spare_) driver_.free_memory(address_of(memory));
  spare_.clear();
}

void GpuAccelerator::make_room(std::size_t size) {
  constexpr std::size_t kForRunners = std::size_t{4} << 30U;
  std::size_t free = 0;
  std::size_t total = 0;
  if (spare_.empty() || driver_.memory_info(&free, &total) != cuda::kSuccess) return;
  if (free < size + kForRunners) trim();
}

bool GpuAccelerator::copy(const std::byte* from, std::byte* to, std::size_t size) {
  return driver_.copy(address_of(to), address_of(from), size) == cuda::kSuccess &&
         driver_.context_synchronize() == cuda::kSuccess;
}

cuda::Function GpuAccelerator::function(const char* name) {
  const auto [known, is_new] = functions_.try_emplace(name, nullptr);
  if (is_new && driver_.module_get_function(&known->second, module_, name) != cuda::kSuccess) {
    known->second = nullptr;
  }
  return known->second;
}

bool GpuAccelerator::has_place_for_result(std::size_t size) {
  if (size <= result_size_) return true;
  if (result_ != 0) driver_.free_memory(result_);
  result_ = 0;
  result_size_ = 0;
  if (driver_.allocate(&result_, size) != cuda::kSuccess) return false;
  result_size_ = size;
  return true;
}

bool GpuAccelerator::run(const Launch& launch, void* task, std::span<std::byte> result) {
  const cuda::Function function = this->function(launch.kernel);
  if (function == nullptr || !has_place_for_result(result.size())) return false;
  if (!result.empty() &&
      driver_.copy_to_device(result_, result.data(), result.size()) != cuda::kSuccess) {
    return false;
  }
  const std::uint64_t wanted = launch.elements / (kThreads * kElementsPerThread) + 1;
  const std::uint64_t blocks =
      launch.blocks != 0 ? launch.blocks : std::min<std::uint64_t>(wanted, most_blocks_);
  const cuda::LaunchConfiguration configuration{.grid = {static_cast<std::uint32_t>(blocks), 1, 1},
                                                .block = {kThreads, 1, 1}};
  std::array<void*, 2> arguments{task, &result_};
  if (driver_.launch(&configuration, function, arguments.data(), nullptr) != cuda::kSuccess ||
      driver_.context_synchronize() != cuda::kSuccess) {
    return false;
  }
  return result.empty() ||
         driver_.copy_to_host(result.data(), result_, result.size()) == cuda::kSuccess;
}

}  // namespace assay::worker
