#pragma once

#include <span>

#include "base/embedded_file.hpp"

namespace assay::compile {

/// The files of gpu/, as paths below it.
[[nodiscard]] std::span<const EmbeddedFile> gpu_headers();

}  // namespace assay::compile
