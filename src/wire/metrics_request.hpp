#pragma once

// Private to wire.

#include "model/request.hpp"
#include "wire/fields.hpp"

namespace assay::wire {

/// Reads `device_metrics` and `explain`. `true` asks for the usual counters, an object names them.
/// `false` refuses them, even if the server collects them by default.
void read_device_metrics(const Object& body, Request& request);

}  // namespace assay::wire
