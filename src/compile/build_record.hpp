#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "model/artifact.hpp"
#include "model/kernel_resources.hpp"
#include "model/verdict.hpp"

namespace assay::compile {

/// What a compiler made of a kernel.
struct CompiledKernel {
  std::filesystem::path module;
  std::string entry;                       // the kernel to launch
  std::string compiler;                    // "g++ 12.2.0 (simt)"
  std::string log;                         // warnings and notes
  std::optional<RegisterSpills> spills{};  // `cuda` on a GPU
  std::vector<Artifact> artifacts{};       // those the kernel wants
};

/// How a build ended: a module, or the submission's fate.
using BuildRecord = std::variant<CompiledKernel, Verdict>;

}  // namespace assay::compile
