#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay::compile {

/// A kernel's stub in a compiled library, and how NVRTC must be asked for the kernel itself.
struct StubSymbol {
  std::string symbol;      // "_Z5scaleIfEvPKT_"
  std::string expression;  // "scale<float>"
};

/// Those of `symbols` (as the linker knows them) that are stubs of `kernels` (names with their
/// namespaces). `demangled` are the same symbols as C++, in the same order.
[[nodiscard]] std::vector<StubSymbol> find_stubs(const std::vector<std::string>& symbols,
                                                 const std::vector<std::string>& demangled,
                                                 const std::vector<std::string>& kernels);

}  // namespace assay::compile
