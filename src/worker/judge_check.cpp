#include "worker/judge_check.hpp"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <filesystem>

#include "base/result.hpp"
#include "device/cuda_driver.hpp"
#include "device/cuda_memory.hpp"
#include "eval/accelerator_check.hpp"
#include "gate/device_code.hpp"
#include "tensor/accelerator.hpp"
#include "worker/gpu_accelerator.hpp"

namespace assay::worker {

Result<void> check_gpu_judge(const std::filesystem::path& device_code, std::size_t cases,
                             std::uint64_t seed) {
  ASSAY_TRY(const device::CudaDriver driver, device::CudaDriver::open());
  if (auto opened = device::open_context(driver, 0); !opened) return opened;
  ASSAY_TRY(const auto accelerator, GpuAccelerator::open(driver, device_code / gate::kWorkModule));
  tensor::install(accelerator.get());
  auto checked = eval::check_accelerator(cases, seed);
  tensor::install(nullptr);
  return checked;
}

}  // namespace assay::worker
