#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "compile/option_rules.hpp"
#include "model/device_info.hpp"
#include "model/kernel.hpp"

namespace assay::compile {

/// Lets tools tell the line of an instruction; NVIDIA's compilers make the same code with it.
inline constexpr const char* kLineInfo = "-lineinfo";

struct CudaOptions {
  std::vector<std::string> flags;  // for nvrtc or nvcc, the architecture included
  std::vector<std::string> notes;  // one sentence for each option without effect
};

/// A kernel's compiler options for a GPU. Only known options pass, because an option can name
/// files, programs and plug-ins. -I is allowed below `includes` and /usr/include.
[[nodiscard]] std::variant<CudaOptions, RefusedOption> cuda_options(
    std::span<const std::string> options, CudaCompiler compiler, ComputeCapability device,
    std::span<const std::filesystem::path> includes);

}  // namespace assay::compile
