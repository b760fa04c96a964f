#include "device/cuda_driver.hpp"

#include <array>
#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "base/error.hpp"
#include "base/result.hpp"
#include "device/cuda_api.hpp"
#include "device/dynamic_library.hpp"

namespace assay::device {
namespace {

Result<void> fill(CudaDriver& d) {
  const std::array<std::string, 2> names = {"libcuda.so.1", "libcuda.so"};
  const std::array symbols = {
      symbol("cuInit", d.init),
      symbol("cuDriverGetVersion", d.driver_version),
      symbol("cuGetErrorName", d.error_name),
      symbol("cuGetErrorString", d.error_string),
      symbol("cuDeviceGetCount", d.device_count),
      symbol("cuDeviceGet", d.device_get),
      symbol("cuDeviceGetName", d.device_name),
      symbol("cuDeviceGetUuid_v2", d.device_uuid),
      symbol("cuDeviceTotalMem_v2", d.device_total_memory),
      symbol("cuDeviceGetAttribute", d.device_attribute),
      symbol("cuDevicePrimaryCtxSetFlags_v2", d.primary_context_set_flags),
      symbol("cuDevicePrimaryCtxRetain", d.primary_context_retain),
      symbol("cuCtxSetCurrent", d.context_set_current),
      symbol("cuCtxSynchronize", d.context_synchronize),
      symbol("cuCtxGetLimit", d.get_limit, /*optional=*/true),
      symbol("cuCtxSetLimit", d.set_limit, /*optional=*/true),
      symbol("cuCtxResetPersistingL2Cache", d.reset_persisting_lines, /*optional=*/true),
      symbol("cuModuleLoadData", d.module_load_data),
      symbol("cuModuleGetFunction", d.module_get_function),
      symbol("cuModuleGetGlobal_v2", d.module_get_global),
      symbol("cuFuncGetAttribute", d.function_attribute),
      symbol("cuFuncSetAttribute", d.function_set_attribute),
      symbol("cuFuncGetParamInfo", d.function_parameter, /*optional=*/true),
      symbol("cuOccupancyMaxActiveBlocksPerMultiprocessor", d.max_active_blocks),
      symbol("cuLaunchKernelEx", d.launch),
      symbol("cuMemGetInfo_v2", d.memory_info),
      symbol("cuMemAlloc_v2", d.allocate),
      symbol("cuMemFree_v2", d.free_memory),
      symbol("cuMemcpyHtoD_v2", d.copy_to_device),
      symbol("cuMemcpyDtoH_v2", d.copy_to_host),
      symbol("cuMemcpy", d.copy),
      symbol("cuMemAllocManaged", d.allocate_managed, /*optional=*/true),
      symbol("cuMemPrefetchAsync", d.prefetch, /*optional=*/true),
      symbol("cuMemcpyDtoDAsync_v2", d.copy_on_device),
      symbol("cuMemsetD32Async", d.set_words),
      symbol("cuMemsetD8Async", d.set_bytes),
      symbol("cuMemHostRegister_v2", d.register_host_memory),
      symbol("cuMemHostUnregister", d.unregister_host_memory),
      symbol("cuMemHostGetDevicePointer_v2", d.device_view),
      symbol("cuMemGetAllocationGranularity", d.granularity),
      symbol("cuMemCreate", d.create_allocation),
      symbol("cuMemRelease", d.release_allocation),
      symbol("cuMemExportToShareableHandle", d.export_allocation),
      symbol("cuMemImportFromShareableHandle", d.import_allocation),
      symbol("cuMemAddressReserve", d.reserve_address),
      symbol("cuMemAddressFree", d.free_address),
      symbol("cuMemMap", d.map),
      symbol("cuMemUnmap", d.unmap),
      symbol("cuMemSetAccess", d.set_access),
      symbol("cuStreamCreate", d.stream_create),
      symbol("cuStreamSynchronize", d.stream_synchronize),
      symbol("cuStreamWaitValue32_v2", d.wait_value),
      symbol("cuStreamBeginCapture_v2", d.begin_capture),
      symbol("cuStreamEndCapture", d.end_capture),
      symbol("cuGraphInstantiateWithFlags", d.instantiate_graph),
      symbol("cuGraphLaunch", d.launch_graph),
      symbol("cuEventCreate", d.event_create),
      symbol("cuEventDestroy_v2", d.event_destroy),
      symbol("cuEventRecord", d.event_record),
      symbol("cuEventElapsedTime", d.event_elapsed),
  };
  return open_library(names, symbols);
}

std::string_view text_or(const char* text, std::string_view otherwise) {
  return text == nullptr ? otherwise : std::string_view(text);
}

}  // namespace

Result<CudaDriver> CudaDriver::open() {
  CudaDriver driver{};
  if (auto filled = fill(driver); !filled) {
    return std::unexpected(std::move(filled).error().while_doing("open the CUDA driver"));
  }
  const cuda::Status status = driver.init(0);
  if (status == cuda::kSuccess) return driver;
  return fail(status == cuda::kNoDevice ? ErrorCode::not_found : ErrorCode::unavailable,
              "cuInit: " + describe(driver, status));
}

std::string describe(const CudaDriver& driver, cuda::Status status) {
  const char* name = nullptr;
  const char* text = nullptr;
  driver.error_name(status, &name);
  driver.error_string(status, &text);
  return fmt::format("{}: {}", text_or(name, fmt::format("CUDA error {}", status)),
                     text_or(text, "unknown to this driver"));
}

Result<void> check(const CudaDriver& driver, cuda::Status status, std::string_view what) {
  if (status == cuda::kSuccess) return {};
  return fail(status == cuda::kOutOfMemory ? ErrorCode::resource_exhausted : ErrorCode::unavailable,
              fmt::format("{}: {}", what, describe(driver, status)));
}

std::string to_string(const cuda::Uuid& uuid) {
  std::string text = "GPU";
  for (std::size_t i = 0; i < uuid.bytes.size(); ++i) {
    const bool starts_group = i == 0 || i == 4 || i == 6 || i == 8 || i == 10;
    text += fmt::format("{}{:02x}", starts_group ? "-" : "", uuid.bytes[i]);
  }
  return text;
}

}  // namespace assay::device
