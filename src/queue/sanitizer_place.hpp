#pragma once

#include <optional>
#include <vector>

#include "base/result.hpp"
#include "model/device_info.hpp"
#include "model/ids.hpp"
#include "model/request.hpp"

namespace assay::queue {

/// The device that a request's job must run on; nothing if any will do. It is the device that the
/// request names. Sanitizers are an exception: if the GPU has none, `cpu` checks the kernel
/// instead, if the server has it. A request that names no device is checked on `cpu` if that is
/// possible, so that GPUs stay free. Fails with `invalid_argument` if no device here could ever
/// check such a kernel.
[[nodiscard]] Result<std::optional<DeviceId>> device_for(const Request& request,
                                                         const std::vector<DeviceInfo>& devices);

}  // namespace assay::queue
