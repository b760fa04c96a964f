#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/digest.hpp"
#include "base/result.hpp"

namespace assay::compile {

/// What of NVIDIA's toolkit this host has for compiling kernels.
struct CudaToolkit {
  std::filesystem::path nvrtc;     // the library itself, links resolved
  std::filesystem::path builtins;  // which nvrtc opens by name while it compiles
  std::vector<std::filesystem::path> includes;
  std::optional<std::filesystem::path> nvcc;
  std::optional<std::filesystem::path> nvdisasm;

  /// Where these lie; a jail must show those outside /usr.
  [[nodiscard]] std::vector<std::filesystem::path> directories() const;
  void hash_into(Hasher& hasher) const;
};

/// Looks below `roots`, then in the usual places. A root is a toolkit's own directory, or a Python
/// environment that holds NVIDIA's packages. Fails with `not_found`, saying what to install.
[[nodiscard]] Result<CudaToolkit> find_cuda_toolkit(const std::vector<std::filesystem::path>& roots,
                                                    const std::filesystem::path& system_root = "/");

}  // namespace assay::compile
