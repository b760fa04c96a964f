#pragma once

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "compile/cuda_toolkit.hpp"

namespace assay::compile {

/// The package to install where the toolkit lacks headers that a test needs.
inline std::optional<std::string> missing_package(const CudaToolkit& toolkit) {
  const auto has = [&](std::string_view header) {
    return std::ranges::any_of(toolkit.includes,
                               [&](const auto& directory) { return exists(directory / header); });
  };
  if (!has("cub/cub.cuh")) return "needs the headers of nvidia-cuda-cccl";
  if (!has("crt/host_config.h")) return "needs the headers of nvidia-cuda-crt";
  return std::nullopt;
}

}  // namespace assay::compile
