#pragma once

#include <span>

#include "base/embedded_file.hpp"

namespace assay::simt {

/// The files of simt/ that a toolchain directory needs: include/... and runtime/...
[[nodiscard]] std::span<const EmbeddedFile> embedded_files();

}  // namespace assay::simt
