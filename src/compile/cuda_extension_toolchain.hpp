#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "compile/cuda_backend.hpp"
#include "compile/toolchain.hpp"
#include "process/jail_profile.hpp"
#include "python/interpreter.hpp"
#include "simt/torch_extension.hpp"

namespace assay::compile {

/// The limits of every compiler that reads torch's headers.
inline const process::Limits kExtensionLimits{.memory_bytes = std::uint64_t{12} << 30U,
                                              .processes = 64,
                                              .tmp_bytes = std::uint64_t{1} << 30U,
                                              .file_bytes = std::uint64_t{2} << 30U,
                                              .open_files = 1024,
                                              .cpu_time = std::chrono::minutes(10)};
/// What the host side of an extension includes first, compiled beforehand.
inline constexpr const char* kExtensionPrelude = "assay/gpu/prelude.hpp";
/// The part of it that is torch's, which nvcc includes first.
inline constexpr const char* kExtensionTorch = "assay/gpu/torch.hpp";

/// torch's headers, Python's and NVIDIA's.
[[nodiscard]] std::vector<std::filesystem::path> extension_includes(
    const python::Interpreter& interpreter, const CudaBackendSettings& cuda);

/// The same, as a compiler is told.
[[nodiscard]] std::vector<std::string> include_flags(const python::Interpreter& interpreter,
                                                     const CudaBackendSettings& cuda);

/// Without those that every jail has.
[[nodiscard]] std::vector<std::filesystem::path> outside_usr(
    std::vector<std::filesystem::path> paths);

/// Flags that replace torch/extension.h and pybind11 by ours, which hold nearly nothing. They must
/// stand before all other directories. Not for `all` headers.
[[nodiscard]] std::vector<std::string> stand_in_flags(const std::filesystem::path& toolchain);

/// Flags that the compiled headers and the sources must share. Unoptimised, as torch has it: host
/// code of an extension checks tensors and launches.
[[nodiscard]] std::vector<std::string> host_flags(const python::Interpreter& interpreter,
                                                  const CudaBackendSettings& cuda,
                                                  const std::filesystem::path& toolchain,
                                                  simt::TorchHeaders headers);

/// What launches kernels, linked into every extension whose sides are compiled apart.
[[nodiscard]] std::filesystem::path launch_object(const std::filesystem::path& toolchain);

/// Headers for the host side, the prelude compiled, and what is linked into every extension.
[[nodiscard]] ToolchainRecipe extension_toolchain(const python::Interpreter& interpreter,
                                                  const CudaBackendSettings& cuda);

}  // namespace assay::compile
