#pragma once

#include <cstddef>
#include <optional>
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

/// The kernel to launch: metadata.kernel_name, or the first there is (where metadata.takes_first is
/// not set, the only one there is), both rather among those that conditionals keep. `expressions`
/// as above. With the number of `arguments` it shall get the answer is its entry in a module of
/// simt, where overloads have names of their own; the one that takes so many is meant.
[[nodiscard]] std::variant<std::string, Verdict> find_entry(
    const KernelMetadata& metadata, const std::vector<std::string>& expressions,
    const std::vector<simt::TranslatedKernel>& kernels,
    std::optional<std::size_t> arguments = std::nullopt);

}  // namespace assay::compile
