#pragma once

#include <string>
#include <string_view>

namespace assay::compile {

/// CUDA source without the functions that only a host could run: NVRTC takes none. Everything else
/// stays on its line. `constexpr` functions stay too, since kernels may call them.
[[nodiscard]] std::string without_host_functions(std::string_view source);

}  // namespace assay::compile
