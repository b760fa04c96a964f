#include "queue/placement.hpp"

#include <algorithm>
#include <expected>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "model/device_info.hpp"
#include "model/ids.hpp"
#include "model/request.hpp"
#include "model/timing_mode.hpp"
#include "queue/sanitizer_place.hpp"
#include "queue/tensor_room.hpp"
#include "wire/decode_error.hpp"

namespace assay::queue {
namespace {

/// A mode that only GPUs have, where the job can only get a `cpu` device.
bool times_as_no_device_here(const Request& request, const std::optional<DeviceId>& device,
                             const std::vector<DeviceInfo>& devices) {
  if (request.timing.mode.value_or(TimingMode::warm) == TimingMode::warm) return false;
  return std::ranges::none_of(devices, [&](const DeviceInfo& one) {
    return one.kind != DeviceKind::cpu && (!device || one.id == *device);
  });
}

}  // namespace

std::expected<std::optional<DeviceId>, wire::FieldError> place(
    const Request& request, const std::vector<DeviceInfo>& devices,
    const MetricsMistake& metrics_mistake) {
  const auto wrong = [](std::vector<std::string> path, std::string message, std::string type) {
    return std::unexpected(wire::FieldError{
        .path = std::move(path), .message = std::move(message), .type = std::move(type)});
  };
  const auto device = device_for(request, devices);
  if (!device) return wrong({"sanitize"}, device.error().message(), "value_error");
  if (*device) {
    if (auto why = not_here(**device, devices)) {
      return wrong({"device"}, *std::move(why), "value_error");
    }
  }
  if (times_as_no_device_here(request, *device, devices)) {
    return wrong({"timing", "mode"}, std::string(kOnlyWarmOnCpu), "value_error");
  }
  if (auto why = tensors_too_large(request, *device, devices)) {
    return wrong({"io", "args"}, *std::move(why), "too_large");
  }
  if (auto mistake = metrics_mistake(request, *device)) {
    return wrong({"device_metrics", "metrics"}, *std::move(mistake), "value_error");
  }
  return *device;
}

std::optional<std::string> not_here(const DeviceId& device,
                                    const std::vector<DeviceInfo>& devices) {
  if (std::ranges::find(devices, device, &DeviceInfo::id) != devices.end()) return std::nullopt;
  std::string there;
  for (const DeviceInfo& one : devices) there += (there.empty() ? "" : ", ") + one.id.value;
  return fmt::format("there is no device '{}'; there is {}", device.value, there);
}

}  // namespace assay::queue
