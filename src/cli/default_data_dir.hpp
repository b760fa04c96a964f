#pragma once

#include <filesystem>

namespace assay::cli {

/// Where jobs, caches and what the binary unpacks live unless told otherwise: the user's data
/// directory.
[[nodiscard]] std::filesystem::path default_data_dir();

}  // namespace assay::cli
