#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace assay::tracer {

/// A CUPTI that goes with this process. It lies beside the libraries of CUDA, in the Python
/// packages that the process has loaded, or in the usual folders. `maps` is what /proc/self/maps
/// holds. Empty if there is none; the linker may still know one.
[[nodiscard]] std::string find_cupti(std::string_view maps);

}  // namespace assay::tracer
