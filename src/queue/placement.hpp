#pragma once

#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/device_info.hpp"
#include "model/ids.hpp"
#include "model/request.hpp"
#include "wire/decode_error.hpp"

namespace assay::queue {

/// What is wrong with the counters that a request names, on the device it would run on.
using MetricsMistake = std::function<std::optional<std::string>(
    const Request& request, const std::optional<DeviceId>& device)>;

/// The device that a request's job must run on; nothing if any will do. Fails with the field that
/// no device here could serve.
[[nodiscard]] std::expected<std::optional<DeviceId>, wire::FieldError> place(
    const Request& request, const std::vector<DeviceInfo>& devices,
    const MetricsMistake& metrics_mistake);

/// Why nothing can run on a device, if it is none of `devices`: with the names of those.
[[nodiscard]] std::optional<std::string> not_here(const DeviceId& device,
                                                  const std::vector<DeviceInfo>& devices);

}  // namespace assay::queue
