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

/// The kernel to launch. metadata.kernel_name names it. Without a name it is the only kernel of the
/// source, or the first one if metadata.takes_first is set. Kernels that conditionals leave out are
/// considered last. `expressions` is what instances_of gives.
/// Given the number of `arguments`, the answer is an entry of a simt module. Overloads have entries
/// of their own there, and the one that takes so many arguments is meant.
[[nodiscard]] std::variant<std::string, Verdict> find_entry(
    const KernelMetadata& metadata, const std::vector<std::string>& expressions,
    const std::vector<simt::TranslatedKernel>& kernels,
    std::optional<std::size_t> arguments = std::nullopt);

}  // namespace assay::compile
