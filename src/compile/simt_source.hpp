#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "model/kernel.hpp"
#include "model/verdict.hpp"

namespace assay::compile {

/// A CUDA kernel as C++ for the host's compiler.
struct SimtSource {
  std::string text;
  std::string entry;  // the kernel to launch, as the module lists it
};

/// Translates a kernel and finds the one to launch: metadata.kernel_name, or the first there is.
/// `macros` are directives to stand before the source.
[[nodiscard]] std::variant<SimtSource, Verdict> simt_source(const Kernel& kernel,
                                                            std::string_view macros = {});

}  // namespace assay::compile
