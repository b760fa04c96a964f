#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/device_info.hpp"
#include "model/ids.hpp"
#include "model/request.hpp"

namespace assay::queue {

/// Says why the tensors of a request's contracts do not fit, with the sizes; nothing if they fit.
/// They must fit on the device that it names. If it names none, they must fit on every device that
/// it might get.
[[nodiscard]] std::optional<std::string> tensors_too_large(const Request& request,
                                                           const std::optional<DeviceId>& device,
                                                           const std::vector<DeviceInfo>& devices);

}  // namespace assay::queue
