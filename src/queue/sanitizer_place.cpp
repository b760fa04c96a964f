#include "queue/sanitizer_place.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "base/error.hpp"
#include "base/result.hpp"
#include "model/device_info.hpp"
#include "model/ids.hpp"
#include "model/kernel.hpp"
#include "model/request.hpp"

namespace assay::queue {
namespace {

/// What simt compiles; everything else runs on `cpu` as what it is, and nothing looks at it.
bool is_checked_by_cpu(KernelType type) {
  return type == KernelType::cuda || type == KernelType::torch_cuda;
}

}  // namespace

Result<std::optional<DeviceId>> device_for(const Request& request,
                                           const std::vector<DeviceInfo>& devices) {
  const auto named = request.device ? std::optional(DeviceId{*request.device}) : std::nullopt;
  if (!request.sanitize.any()) return named;
  const auto checks = [&](const DeviceInfo& device) {
    return device.has_sanitizer ||
           (device.kind == DeviceKind::cpu && is_checked_by_cpu(request.candidate.type));
  };
  const auto is_gpu = [](const DeviceInfo& device) { return device.kind == DeviceKind::cuda; };
  const auto cpu = std::ranges::find_if(
      devices, [&](const DeviceInfo& device) { return !is_gpu(device) && checks(device); });
  if (named) {
    const auto device = std::ranges::find(devices, *named, &DeviceInfo::id);
    if (device == devices.end() || checks(*device))
      return named;  // an unknown one is refused later
    if (is_gpu(*device)) return cpu == devices.end() ? named : std::optional(cpu->id);
  } else {
    if (cpu != devices.end()) return cpu->id;
    const auto gpu = std::ranges::find_if(devices, is_gpu);
    if (gpu != devices.end()) {
      return std::ranges::all_of(devices, is_gpu) ? std::nullopt : std::optional(gpu->id);
    }
  }
  return fail(ErrorCode::invalid_argument,
              fmt::format("The sanitizers check cuda and torch_cuda kernels, not {}; on a GPU "
                          "compute-sanitizer checks them all",
                          to_string(request.candidate.type)));
}

}  // namespace assay::queue
