#pragma once

#include <span>

#include "base/embedded_file.hpp"

namespace assay::cli {

/// What `assay init` writes, in a folder for each kind of kernel.
[[nodiscard]] std::span<const EmbeddedFile> start_files();

/// requirements.txt of the environment that Python kernels run in.
[[nodiscard]] std::span<const EmbeddedFile> python_requirements();

}  // namespace assay::cli
