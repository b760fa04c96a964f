#include "tracer/find_cupti.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace assay::tracer {
namespace {

namespace fs = std::filesystem;

constexpr std::array kNames = {"libcupti.so.13", "libcupti.so.12", "libcupti.so"};

void add_once(std::vector<fs::path>& folders, fs::path folder) {
  if (std::ranges::find(folders, folder) == folders.end()) folders.push_back(std::move(folder));
}

/// Folders that the mapped file at `path` hints at.
void add_hints(std::string_view path, std::vector<fs::path>& folders) {
  constexpr std::string_view kPackages = "site-packages/";
  if (const std::size_t at = path.find(kPackages); at != std::string_view::npos) {
    const fs::path packages = path.substr(0, at + kPackages.size());
    for (const char* place :
         {"nvidia/cu13/lib", "nvidia/cuda_cupti/lib", "triton/backends/nvidia/lib/cupti"}) {
      add_once(folders, packages / place);
    }
  }
  if (path.find("/libcudart.so") != std::string_view::npos) {
    const fs::path folder = fs::path(path).parent_path();
    add_once(folders, folder);
    add_once(folders, folder.parent_path() / "extras/CUPTI/lib64");
  }
}

}  // namespace

std::string find_cupti(std::string_view maps) {
  std::vector<fs::path> folders;
  while (!maps.empty()) {
    const std::size_t end = std::min(maps.find('\n'), maps.size());
    const std::string_view line = maps.substr(0, end);
    maps.remove_prefix(std::min(end + 1, maps.size()));
    if (const std::size_t at = line.find('/'); at != std::string_view::npos) {
      add_hints(line.substr(at), folders);
    }
  }
  add_once(folders, "/usr/local/cuda/extras/CUPTI/lib64");
  add_once(folders, "/usr/local/cuda/lib64");
  std::error_code error;
  for (const fs::path& folder : folders) {
    for (const char* name : kNames) {
      if (fs::exists(folder / name, error)) return (folder / name).string();
    }
  }
  return {};
}

}  // namespace assay::tracer
