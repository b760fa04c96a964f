#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace assay::tracer {

/// A CUPTI that goes with this process: beside the libraries of CUDA or in the Python packages that
/// it has loaded, or in the usual folders. `maps` is what /proc/self/maps holds. Empty where there
/// is none: the linker may still know one.
[[nodiscard]] std::string find_cupti(std::string_view maps);

}  // namespace assay::tracer
