#include "cli/default_data_dir.hpp"

#include <cstdlib>
#include <filesystem>
#include <string>

#include <unistd.h>

namespace assay::cli {

std::filesystem::path default_data_dir() {
  if (const char* data = std::getenv("XDG_DATA_HOME"); data != nullptr && *data != '\0') {
    return std::filesystem::path(data) / "assay";
  }
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0') {
    return std::filesystem::path(home) / ".local/share/assay";
  }
  return std::filesystem::temp_directory_path() / ("assay-" + std::to_string(::getuid()));
}

}  // namespace assay::cli
