#pragma once

// Private to wire.

#include "model/request.hpp"
#include "wire/fields.hpp"

namespace assay::wire {

/// Reads `workloads`. The kernels of the request must have been read before.
void read_workloads(const Object& body, Request& request);

}  // namespace assay::wire
