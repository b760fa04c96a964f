#include "cli/cupti_library.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "compile/cuda_toolkit.hpp"

namespace assay::cli {

std::string cupti_library(const std::optional<std::filesystem::path>& named,
                          const std::vector<std::filesystem::path>& roots) {
  if (named) return named->string();
  const auto toolkit = compile::find_cuda_toolkit(roots);
  if (!toolkit) return {};
  const std::filesystem::path folder = toolkit->nvrtc.parent_path();
  for (const auto& place : {folder, folder / "../extras/CUPTI/lib64"}) {
    for (const char* name : {"libcupti.so.13", "libcupti.so.12", "libcupti.so"}) {
      if (std::filesystem::exists(place / name)) return (place / name).string();
    }
  }
  return {};
}

}  // namespace assay::cli
