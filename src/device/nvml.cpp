#include "device/nvml.hpp"

#include <array>
#include <expected>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/result.hpp"
#include "device/dynamic_library.hpp"

namespace assay::device {
namespace {

Result<void> fill(Nvml& n) {
  const std::array<std::string, 2> names = {"libnvidia-ml.so.1", "libnvidia-ml.so"};
  const std::array symbols = {
      symbol("nvmlInit_v2", n.init),
      symbol("nvmlErrorString", n.error_string),
      symbol("nvmlSystemGetDriverVersion", n.driver_version),
      symbol("nvmlDeviceGetCount_v2", n.device_count),
      symbol("nvmlDeviceGetHandleByIndex_v2", n.device_at),
      symbol("nvmlDeviceGetHandleByUUID", n.device_by_uuid),
      symbol("nvmlDeviceGetName", n.name),
      symbol("nvmlDeviceGetUUID", n.uuid),
      symbol("nvmlDeviceGetMinorNumber", n.device_file),
      symbol("nvmlDeviceGetGpuInstanceId", n.gpu_instance),
      symbol("nvmlDeviceGetComputeInstanceId", n.compute_instance),
      symbol("nvmlDeviceGetCudaComputeCapability", n.compute_capability),
      symbol("nvmlDeviceGetMemoryInfo", n.memory),
      symbol("nvmlDeviceGetTemperature", n.temperature),
      symbol("nvmlDeviceGetClockInfo", n.clock),
      symbol("nvmlDeviceGetMaxClockInfo", n.max_clock),
      symbol("nvmlDeviceSetGpuLockedClocks", n.lock_clocks, /*optional=*/true),
      symbol("nvmlDeviceResetGpuLockedClocks", n.unlock_clocks, /*optional=*/true),
      symbol("nvmlDeviceGetPowerUsage", n.power),
      symbol("nvmlDeviceGetComputeRunningProcesses_v3", n.compute_processes),
      symbol("nvmlDeviceGetCurrentClocksThrottleReasons", n.throttle_reasons),
      symbol("nvmlDeviceGetTotalEccErrors", n.ecc_errors),
      symbol("nvmlDeviceGetMigMode", n.mig_mode),
      symbol("nvmlDeviceGetMaxMigDeviceCount", n.max_mig_devices),
      symbol("nvmlDeviceGetMigDeviceHandleByIndex", n.mig_device_at),
      symbol("nvmlDeviceGetAttributes_v2", n.attributes),
      symbol("nvmlEventSetCreate", n.event_set_create),
      symbol("nvmlDeviceRegisterEvents", n.register_events),
      symbol("nvmlEventSetWait_v2", n.event_wait),
  };
  return open_library(names, symbols);
}

}  // namespace

Result<Nvml> Nvml::open() {
  Nvml library{};
  if (auto filled = fill(library); !filled) {
    return std::unexpected(
        std::move(filled).error().while_doing("open NVIDIA's management library"));
  }
  if (const nvml::Status status = library.init(); status != nvml::kSuccess) {
    return fail(ErrorCode::unavailable, std::string("nvmlInit: ") + library.error_string(status));
  }
  return library;
}

}  // namespace assay::device
