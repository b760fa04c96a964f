#pragma once

#include "tracer/nvtx_api.hpp"

namespace assay::tracer {

/// Puts our functions in the places where NVTX, which is compiled into a program, calls them. False
/// where it has no such places.
bool attach_to_nvtx(nvtx::GetTable get_table);

}  // namespace assay::tracer
