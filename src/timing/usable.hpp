#pragma once

#include <optional>
#include <string>

#include "model/device_state.hpp"

namespace assay::timing {

/// The one state of a batch, from what was read before and after it: slowed if it was at either
/// end, with the lower clocks and the greater heat.
[[nodiscard]] DeviceState worse_of(const DeviceState& before, const DeviceState& after);

/// Why what was timed under this state must not be used; nothing where it may. A slowed device
/// runs both kernels at clocks of its own choosing, which change from one batch to the next.
/// Other processes are no reason: runners that wait for work hold contexts too.
[[nodiscard]] std::optional<std::string> reason_not_to_use(const DeviceState& state);

}  // namespace assay::timing
