#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace assay::compile {

/// A file that was built for one call of load_inline.
struct ExtensionFile {
  std::string key;   // of the call: 64 characters
  std::string role;  // "library"; where the device side was compiled apart, "image" and "names"
  std::filesystem::path path;
};

/// Puts the files of one kernel into one, which python/assay_runner/extensions.py reads. It begins
/// with "ASSAYEXT" and the number of files (32 bits). Then follow for each file its key, role (8
/// characters), offset and size (64 bits each). The bytes of the files come last.
[[nodiscard]] Result<void> write_container(const std::filesystem::path& path,
                                           const std::vector<ExtensionFile>& files);

}  // namespace assay::compile
