#include "compile/cuda_extension_toolchain.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/digest.hpp"
#include "base/embedded_file.hpp"
#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "compile/cuda_backend.hpp"
#include "compile/gpu_headers.hpp"
#include "compile/own_error.hpp"
#include "compile/toolchain.hpp"
#include "python/interpreter.hpp"
#include "simt/embedded.hpp"
#include "simt/torch_extension.hpp"

namespace assay::compile {
namespace {

namespace fs = std::filesystem;

/// Ours, and what stands in for pybind11 and for some of torch, which simt shares.
std::vector<EmbeddedFile> toolchain_files() {
  std::vector<EmbeddedFile> files;
  std::ranges::copy(gpu_headers(), std::back_inserter(files));
  std::ranges::copy_if(simt::embedded_files(), std::back_inserter(files),
                       [](const EmbeddedFile& file) {
                         return file.path.starts_with("include_torch/assay/torch/") ||
                                file.path.starts_with("include_torch_few/") ||
                                file.path.starts_with("include_torch_lean/");
                       });
  return files;
}

/// A directory: the compiler takes the file in it that was made with its flags.
fs::path compiled_prelude(const fs::path& directory) {
  fs::path file = directory / "include" / kExtensionPrelude;
  file += ".gch";
  return file;
}

Result<void> write_toolchain_files(const fs::path& directory) {
  for (const EmbeddedFile& file : toolchain_files()) {
    const fs::path path = directory / file.path;
    std::error_code failure;
    fs::create_directories(path.parent_path(), failure);
    if (failure) return fail(ErrorCode::internal, path.string() + failure.message());
    if (auto written = write_file_atomically(path, file.content); !written) return written;
  }
  std::error_code failure;
  fs::create_directory(compiled_prelude(directory), failure);
  if (failure) return fail(ErrorCode::internal, "lay out a toolchain: " + failure.message());
  return {};
}

/// Compiles the prelude for sources that see `headers`.
std::vector<std::string> prelude_run(const python::Interpreter& interpreter,
                                     const CudaBackendSettings& cuda, const fs::path& directory,
                                     simt::TorchHeaders headers) {
  const bool few = headers == simt::TorchHeaders::few;
  std::vector<std::string> run = host_flags(interpreter, cuda, directory, headers);
  run.insert(run.end(), {"-x", "c++-header", "-o",
                         (compiled_prelude(directory) / (few ? "few" : "lean")).string(),
                         (directory / "include" / kExtensionPrelude).string()});
  return run;
}

/// Preprocesses what a source sees of `few` headers or of `all`.
std::vector<std::string> text_run(const python::Interpreter& interpreter,
                                  const CudaBackendSettings& cuda, const fs::path& directory,
                                  simt::TorchHeaders headers) {
  const bool few = headers == simt::TorchHeaders::few;
  std::vector<std::string> run;
  if (few) run = stand_in_flags(directory);
  std::ranges::move(host_flags(interpreter, cuda, directory, headers), std::back_inserter(run));
  const HeaderTexts texts = header_texts(directory);
  run.insert(run.end(), {"-include", few ? simt::kTorchBinding : "torch/extension.h", "-E", "-dD",
                         "-P", "-x", "c++", "-o", (few ? texts.few : texts.all).string(),
                         (directory / "include" / kExtensionTorch).string()});
  return run;
}

std::vector<std::string> launch_run(const python::Interpreter& interpreter,
                                    const CudaBackendSettings& cuda, const fs::path& directory) {
  std::vector<std::string> run = {"-std=c++20", "-O2",
                                  "-fPIC",      "-fvisibility=hidden",
                                  "-w",         "-I" + (directory / "include").string()};
  std::ranges::move(include_flags(interpreter, cuda), std::back_inserter(run));
  run.insert(run.end(),
             {"-c", "-o", launch_object(directory).string(), (directory / "launch.cpp").string()});
  return run;
}

simt::TorchPlace place_of(const python::Interpreter& interpreter, const CudaBackendSettings& cuda,
                          const fs::path& toolchain) {
  return {.include = extension_includes(interpreter, cuda),
          .library = interpreter.torch_directory / "lib",
          .prepared = toolchain};
}

}  // namespace

std::vector<fs::path> extension_includes(const python::Interpreter& interpreter,
                                         const CudaBackendSettings& cuda) {
  std::vector<fs::path> directories = {
      interpreter.torch_directory / "include",
      interpreter.torch_directory / "include/torch/csrc/api/include", interpreter.headers};
  // Packages of Python may hold a part of NVIDIA's headers; the toolkit's own come first.
  if (cuda.toolkit.nvcc) {
    directories.push_back(cuda.toolkit.nvcc->parent_path().parent_path() / "include");
  }
  std::ranges::copy(cuda.toolkit.includes, std::back_inserter(directories));
  return directories;
}

std::vector<std::string> include_flags(const python::Interpreter& interpreter,
                                       const CudaBackendSettings& cuda) {
  std::vector<std::string> flags;
  for (const fs::path& directory : extension_includes(interpreter, cuda)) {
    flags.insert(flags.end(), {"-isystem", directory.string()});
  }
  return flags;
}

std::vector<fs::path> outside_usr(std::vector<fs::path> paths) {
  std::erase_if(paths, [](const fs::path& path) { return path.string().starts_with("/usr/"); });
  return paths;
}

fs::path launch_object(const fs::path& toolchain) {
  return toolchain / "launch.o";
}

std::vector<std::string> stand_in_flags(const fs::path& toolchain) {
  return {"-I", (toolchain / "include_torch").string(), "-I",
          (toolchain / "include_torch_lean").string()};
}

std::vector<std::string> host_flags(const python::Interpreter& interpreter,
                                    const CudaBackendSettings& cuda, const fs::path& toolchain,
                                    simt::TorchHeaders headers) {
  std::vector<std::string> flags;
  if (headers == simt::TorchHeaders::few) flags = simt::few_headers_flags(toolchain);
  flags.insert(flags.end(),
               {"-std=c++20", "-O0", "-fPIC", "-w", simt::kErrorsShown,
                "-DTORCH_API_INCLUDE_EXTENSION_H", "-I" + (toolchain / "include").string()});
  std::ranges::move(include_flags(interpreter, cuda), std::back_inserter(flags));
  return flags;
}

ToolchainRecipe extension_toolchain(const python::Interpreter& interpreter,
                                    const CudaBackendSettings& cuda) {
  Hasher hasher;
  hasher.field(interpreter.torch).field(interpreter.torch_directory.string());
  cuda.toolkit.hash_into(hasher);
  for (const EmbeddedFile& file : toolchain_files()) hasher.field(file.path).field(file.content);
  std::vector<fs::path> readable = outside_usr(extension_includes(interpreter, cuda));
  return {.fingerprint = "gpu extensions " + hasher.finish().hex(),
          .write_files = write_toolchain_files,
          .compiler_runs =
              [interpreter, cuda](const fs::path& directory) {
                std::vector<std::string> binding = simt::torch_binding_command(
                    {.directory = directory}, place_of(interpreter, cuda, directory));
                binding.erase(binding.begin());  // the program itself
                return std::vector{
                    prelude_run(interpreter, cuda, directory, simt::TorchHeaders::lean),
                    prelude_run(interpreter, cuda, directory, simt::TorchHeaders::few),
                    text_run(interpreter, cuda, directory, simt::TorchHeaders::few),
                    text_run(interpreter, cuda, directory, simt::TorchHeaders::all),
                    std::move(binding),
                    launch_run(interpreter, cuda, directory)};
              },
          .readable = std::move(readable),
          .limits = kExtensionLimits};
}

}  // namespace assay::compile
