#pragma once

#include <filesystem>

#include "base/result.hpp"
#include "simt/testing/local_builder.hpp"
#include "simt/toolchain.hpp"

namespace assay::simt::testing {

/// Builds a source that has a main(). The program is kept with the toolchain, and is built again
/// only when the source, a file that it includes by a relative name, or the translation changes.
[[nodiscard]] Result<BuildResult> kept_program(const Toolchain& toolchain,
                                               const std::filesystem::path& source,
                                               Variant variant);

}  // namespace assay::simt::testing
