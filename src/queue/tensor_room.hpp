#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/device_info.hpp"
#include "model/ids.hpp"
#include "model/request.hpp"

namespace assay::queue {

/// Why the tensors of a request's contracts do not fit, if so: on the device it is for or, where it
/// names none, on one that it might get. With the sizes, for whoever sent it.
[[nodiscard]] std::optional<std::string> tensors_too_large(const Request& request,
                                                           const std::optional<DeviceId>& device,
                                                           const std::vector<DeviceInfo>& devices);

}  // namespace assay::queue
