#include "compile/cuda_toolkit.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/result.hpp"

namespace assay::compile {
namespace {

namespace fs = std::filesystem;

constexpr std::array kLibraryDirectories = {"lib64", "targets/x86_64-linux/lib", "lib",
                                            "lib/x86_64-linux-gnu"};

/// The entries of `directory` whose name begins with `prefix`, the highest version first.
std::vector<fs::path> entries(const fs::path& directory, std::string_view prefix) {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (const auto& item : fs::directory_iterator(directory, ignored)) {
    if (item.path().filename().string().starts_with(prefix)) found.push_back(item.path());
  }
  std::ranges::sort(found, std::greater{});
  return found;
}

std::optional<fs::path> library(const fs::path& directory, std::string_view name) {
  for (const fs::path& path : entries(directory, name)) {
    std::error_code failure;
    // ".alt." is the same library built for older systems.
    const bool alternative = path.string().find(".alt.") != std::string::npos;
    if (alternative || path.extension() == ".a") continue;
    fs::path real = fs::canonical(path, failure);
    if (!failure) return real;
  }
  return std::nullopt;
}

bool there_is(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

void add_include(std::vector<fs::path>& includes, const fs::path& path) {
  std::error_code failure;
  const fs::path real = fs::canonical(path, failure);
  if (!failure && std::ranges::find(includes, real) == includes.end()) includes.push_back(real);
}

/// The include directories of a toolkit at `root`; with CUDA 13, CCCL has one of its own.
void add_includes(std::vector<fs::path>& includes, const fs::path& root) {
  const fs::path include = root / "include";
  if (!there_is(include / "cuda_runtime.h") && !there_is(include / "cuda_fp16.h") &&
      !there_is(include / "nv/target")) {
    return;
  }
  add_include(includes, include);
  if (there_is(include / "cccl")) add_include(includes, include / "cccl");
}

std::optional<CudaToolkit> toolkit_at(const fs::path& root) {
  for (const char* place : kLibraryDirectories) {
    const auto nvrtc = library(root / place, "libnvrtc.so");
    const auto builtins = library(root / place, "libnvrtc-builtins.so");
    if (!nvrtc || !builtins) continue;
    CudaToolkit toolkit{.nvrtc = *nvrtc, .builtins = *builtins};
    add_includes(toolkit.includes, root);
    add_includes(toolkit.includes, root / "targets/x86_64-linux");
    if (there_is(root / "bin/nvcc")) toolkit.nvcc = fs::canonical(root / "bin/nvcc");
    return toolkit;
  }
  return std::nullopt;
}

/// NVIDIA's packages in a Python environment: one directory since CUDA 13, one for each part
/// before.
std::optional<CudaToolkit> toolkit_in_python(const fs::path& environment) {
  for (const fs::path& python : entries(environment / "lib", "python3")) {
    const fs::path packages = python / "site-packages/nvidia";
    for (const fs::path& root : entries(packages, "cu")) {
      auto toolkit = toolkit_at(root);
      if (!toolkit) continue;
      for (const fs::path& part : entries(packages, "cuda_")) add_includes(toolkit->includes, part);
      return toolkit;
    }
  }
  return std::nullopt;
}

/// The disassembler of a toolkit, or the one that Triton brings along.
std::optional<fs::path> disassembler_at(const fs::path& root) {
  if (there_is(root / "bin/nvdisasm")) return fs::canonical(root / "bin/nvdisasm");
  for (const fs::path& python : entries(root / "lib", "python3")) {
    const fs::path packages = python / "site-packages";
    for (const char* place : {"nvidia/cu13", "nvidia/cuda_nvcc", "triton/backends/nvidia"}) {
      const fs::path program = packages / place / "bin/nvdisasm";
      if (there_is(program)) return fs::canonical(program);
    }
  }
  return std::nullopt;
}

std::vector<fs::path> usual_places(const fs::path& system_root) {
  std::vector<fs::path> places = {system_root / "usr/local/cuda"};
  std::ranges::copy(entries(system_root / "usr/local", "cuda-"), std::back_inserter(places));
  places.push_back(system_root / "opt/cuda");
  places.push_back(system_root / "usr");
  return places;
}

}  // namespace

std::vector<fs::path> CudaToolkit::directories() const {
  std::vector<fs::path> all = {nvrtc.parent_path()};
  if (builtins.parent_path() != nvrtc.parent_path()) all.push_back(builtins.parent_path());
  all.insert(all.end(), includes.begin(), includes.end());
  return all;
}

void CudaToolkit::hash_into(Hasher& hasher) const {
  std::error_code ignored;  // what cannot be read makes no kernel either
  for (const fs::path& file : {nvrtc, builtins, nvcc.value_or(""), nvdisasm.value_or("")}) {
    hasher.field(file.string()).field(std::to_string(fs::file_size(file, ignored)));
    const auto changed = fs::last_write_time(file, ignored).time_since_epoch().count();
    hasher.field(std::to_string(changed));
  }
  for (const fs::path& include : includes) hasher.field(include.string());
}

Result<CudaToolkit> find_cuda_toolkit(const std::vector<fs::path>& roots,
                                      const fs::path& system_root) {
  std::vector<fs::path> places = roots;
  std::ranges::copy(usual_places(system_root), std::back_inserter(places));
  std::optional<CudaToolkit> found;
  std::optional<fs::path> disassembler;
  for (const fs::path& place : places) {
    if (!disassembler) disassembler = disassembler_at(place);
    auto toolkit = toolkit_at(place);
    if (!toolkit) toolkit = toolkit_in_python(place);
    if (!toolkit) continue;
    if (!found) {
      found = std::move(toolkit);
    } else if (!found->nvcc && toolkit->nvcc) {
      found->nvcc = toolkit->nvcc;
      // Packages of Python have a part of the headers only.
      for (const fs::path& include : toolkit->includes) add_include(found->includes, include);
    }
  }
  if (found) {
    found->nvdisasm = disassembler;
    return std::move(*found);
  }
  return fail(ErrorCode::not_found,
              "NVRTC was not found: install the CUDA toolkit, or torch with CUDA, and name its "
              "directory with --cuda-toolkit");
}

}  // namespace assay::compile
