#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace assay::cli {

/// The CUPTI to use: the file that is named, else the one beside the CUDA libraries that kernels
/// are compiled with. Those are looked for below `roots` first. Empty if none is found; then the
/// linker is asked.
[[nodiscard]] std::string cupti_library(const std::optional<std::filesystem::path>& named,
                                        const std::vector<std::filesystem::path>& roots);

}  // namespace assay::cli
