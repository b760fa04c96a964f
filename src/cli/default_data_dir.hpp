#pragma once

#include <filesystem>

namespace assay::cli {

/// The default place for jobs, caches and what the binary unpacks: the user's data directory.
[[nodiscard]] std::filesystem::path default_data_dir();

}  // namespace assay::cli
