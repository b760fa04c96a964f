#pragma once

#include "tracer/nvtx_api.hpp"

namespace assay::tracer {

/// NVTX is compiled into a program. It calls functions through a table. This puts ours into the
/// table. False if there is no such table.
bool attach_to_nvtx(nvtx::GetTable get_table);

}  // namespace assay::tracer
