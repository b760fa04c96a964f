#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace assay::compile {

struct ContainedExtension {
  std::string key;  // 64 characters
  std::filesystem::path library;
};

/// Puts the extensions of one kernel into one file, which python/assay_runner/extensions.py reads:
/// "ASSAYEXT", their number (32 bits), for each its key, offset and size (64 bits), then the bytes.
[[nodiscard]] Result<void> write_container(const std::filesystem::path& path,
                                           const std::vector<ContainedExtension>& extensions);

}  // namespace assay::compile
