#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/artifact.hpp"
#include "model/io_contract.hpp"
#include "model/names.hpp"

namespace assay {

enum class KernelType : std::uint8_t { torch, torch_cuda, triton, cuda, multi_kernel };

inline constexpr NameTable<KernelType, 5> kKernelTypeNames = {{
    {KernelType::torch, "torch"},
    {KernelType::torch_cuda, "torch_cuda"},
    {KernelType::triton, "triton"},
    {KernelType::cuda, "cuda"},
    {KernelType::multi_kernel, "multi_kernel"},
}};

constexpr std::string_view to_string(KernelType type) {
  return name_in(kKernelTypeNames, type);
}

enum class CudaCompiler : std::uint8_t { nvrtc, nvcc };

inline constexpr NameTable<CudaCompiler, 2> kCudaCompilerNames = {{
    {CudaCompiler::nvrtc, "nvrtc"},
    {CudaCompiler::nvcc, "nvcc"},
}};

constexpr std::string_view to_string(CudaCompiler compiler) {
  return name_in(kCudaCompilerNames, compiler);
}

/// What the submitter said about the source beside its text. Keys of one type of kernel mean
/// nothing for the others.
struct KernelMetadata {
  std::optional<std::string> kernel_name;  // cuda, triton
  bool takes_first = true;  // cuda: of several kernels without a name; false: that is refused
  std::vector<std::string> compiler_options;  // cuda
  CudaCompiler backend = CudaCompiler::nvrtc;
  std::vector<std::string> name_expressions;  // cuda: template instantiations
  std::optional<std::string> function_name;   // torch
  std::optional<std::string> class_name;      // torch
  std::optional<std::string> method_name;     // torch
  std::optional<std::string> entry_point;     // multi_kernel
  std::optional<std::string> init_args;       // torch: of the constructor, a JSON list
  std::optional<std::string> init_kwargs;     // torch: of the constructor, a JSON object
};

struct Kernel {
  std::string source;
  KernelType type = KernelType::cuda;
  std::optional<IoContract> io;
  KernelMetadata metadata;
  /// Python: other values for names that the source assigns at its top, as JSON.
  std::vector<std::pair<std::string, std::string>> constants{};
  /// Compiled for the sanitizers. On `cpu` loads and stores report to them. On GPUs the code
  /// carries line numbers for them.
  bool instrumented = false;
  WantedArtifacts artifacts;  // `cuda`
};

}  // namespace assay
