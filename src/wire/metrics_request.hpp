#pragma once

// Private to wire.

#include "model/request.hpp"
#include "wire/fields.hpp"

namespace assay::wire {

/// Reads `device_metrics` and `explain`: `true` for the usual counters, or an object that names
/// them. `false` says no where the server would collect them.
void read_device_metrics(const Object& body, Request& request);

}  // namespace assay::wire
