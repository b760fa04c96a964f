#pragma once

#include <filesystem>
#include <span>

#include "base/embedded_file.hpp"
#include "base/result.hpp"

namespace assay::worker {

/// The files of python/assay_runner, as paths below python/.
[[nodiscard]] std::span<const EmbeddedFile> embedded_python();
/// The native code that Python times calls with (src/gate/library.cpp).
[[nodiscard]] std::span<const EmbeddedFile> embedded_gate_library();

/// Writes the package into a directory of `parent` that is named by its content. So servers of
/// different versions can share `parent`. Returns the directory to put on Python's path.
[[nodiscard]] Result<std::filesystem::path> write_python_package(
    const std::filesystem::path& parent);

}  // namespace assay::worker
