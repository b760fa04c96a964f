#pragma once

#include <filesystem>

namespace assay::testkit {

// Where this program was built. In a library of its own: ccache takes objects from one checkout to
// another only if no path is compiled into them.

[[nodiscard]] std::filesystem::path source_dir();
[[nodiscard]] std::filesystem::path build_dir();

/// Real captures beside the checkout. Tests that need them are skipped where they are absent.
[[nodiscard]] std::filesystem::path shared_data();

/// Toolchains that tests made of this machine's compilers, for all checkouts.
[[nodiscard]] std::filesystem::path kept_toolchains();

}  // namespace assay::testkit
