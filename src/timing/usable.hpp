#pragma once

#include <optional>
#include <string>

#include "model/device_state.hpp"

namespace assay::timing {

/// The one state of a batch, from what was read before and after it. It is slowed if it was slowed
/// at either end. It has the lower clocks and the greater heat of the two.
[[nodiscard]] DeviceState worse_of(const DeviceState& before, const DeviceState& after);

/// Why what was timed under this state must not be used; nothing where it may. A slowed device
/// runs both kernels at clocks of its own choosing, which change from one batch to the next.
/// Other processes are no reason: runners that wait for work hold contexts too.
[[nodiscard]] std::optional<std::string> reason_not_to_use(const DeviceState& state);

}  // namespace assay::timing
