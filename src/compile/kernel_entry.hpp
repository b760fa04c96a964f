#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/kernel.hpp"
#include "model/verdict.hpp"
#include "simt/translate.hpp"

namespace assay::compile {

/// What compiler messages call the submitted source.
inline constexpr const char* kSourceName = "kernel.cu";

/// The template instances a kernel asks for: metadata.name_expressions, and its name if that is
/// one.
[[nodiscard]] std::vector<std::string> instances_of(const KernelMetadata& metadata);

/// The kernel to launch: metadata.kernel_name, or the first there is. `expressions` as above.
[[nodiscard]] std::variant<std::string, Verdict> find_entry(
    const KernelMetadata& metadata, const std::vector<std::string>& expressions,
    const std::vector<simt::TranslatedKernel>& kernels);

}  // namespace assay::compile
