#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "model/extension.hpp"

namespace assay::compile {

/// Whether the source is nothing but declarations, #include lines and a PYBIND11_MODULE.
[[nodiscard]] bool only_declares(std::string_view source);

/// Whether the call has one CUDA source and one C++ source that only declares, as load_inline makes
/// them. The compiler may then get both as one source, which halves its work. At worst they do not
/// compile together.
[[nodiscard]] bool may_be_joined(const ExtensionCall& call);

/// The `__global__` function that a module of the call binds to Python with `def`; nothing where
/// there is none. Python cannot call it.
[[nodiscard]] std::optional<std::string> bound_kernel(const ExtensionCall& call);

/// What -D and -U among the flags say, as lines of source.
[[nodiscard]] std::string macros_of(std::span<const std::string> flags);

}  // namespace assay::compile
