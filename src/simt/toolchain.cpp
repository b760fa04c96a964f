#include "simt/toolchain.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "simt/embedded.hpp"

namespace assay::simt {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrelude = "assay/simt/prelude.hpp";

/// Code runs where it is compiled, so it may use what this processor has: without FMA and
/// half-precision conversion in hardware, kernels that use them crawl.
std::string processor_flag() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                 __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("f16c")
             ? "-march=x86-64-v3"
             : "-march=x86-64";
#else
  return "-march=native";
#endif
}

/// Flags that the precompiled header and its users must share.
std::vector<std::string> common_flags(const Toolchain& toolchain, Variant variant) {
  std::vector<std::string> flags = {
      // Reports tell lines of instrumented code, which hard optimising would blur.
      "-x", "c++", "-std=c++20", variant == Variant::plain ? "-O2" : "-O1", "-fPIC", "-pthread",
      processor_flag(),
      // Hidden, so that calls inside a module can be inlined.
      "-fvisibility=hidden",
      // Device code reinterprets memory freely, and no device traps or sets errno.
      "-fno-strict-aliasing", "-fno-math-errno", "-fno-trapping-math", "-Wno-attributes",
      "-Wno-deprecated", "-Wno-psabi", "-Wno-unknown-pragmas", "-fno-diagnostics-show-caret",
      "-fdiagnostics-color=never", "-D__CUDACC__=1", "-D__NVCC__=1", "-D__CUDA_ARCH__=800",
      "-D__CUDACC_VER_MAJOR__=12", "-D__CUDACC_VER_MINOR__=4", "-D__CUDACC_VER_BUILD__=0",
      "-isystem", (toolchain.directory / "include").string()};
  if (variant == Variant::instrumented) {
    // Only the compiler's half of ThreadSanitizer: its calls go to our own runtime.
    flags.insert(flags.end(), {"-fsanitize=thread", "--param=tsan-distinguish-volatile=1",
                               "--param=tsan-instrument-func-entry-exit=0", "-g1", "-gdwarf-4",
                               // A vector stays one access: its alignment is part of the check.
                               "-fno-tree-sra"});
  }
  return flags;
}

fs::path precompiled(const Toolchain& toolchain, Variant variant) {
  // A directory named like the header with .gch: the compiler takes the file that fits its flags.
  return toolchain.directory / "include" / fmt::format("{}.gch", kPrelude) /
         (variant == Variant::plain ? "plain" : "instrumented");
}

Command compile(const Toolchain& toolchain, Variant variant, const fs::path& source,
                const fs::path& output, const std::vector<std::string>& options) {
  Command command = {toolchain.compiler};
  for (auto& flag : common_flags(toolchain, variant)) command.push_back(std::move(flag));
  command.insert(command.end(), {"-include", std::string(kPrelude)});
  command.insert(command.end(), options.begin(), options.end());
  command.insert(command.end(), {"-o", output.string(), source.string(), "-x", "none",
                                 runtime_library(toolchain).string()});
  // What simt/runtime/math.cpp computes better than the C library.
  command.emplace_back("-Wl,--wrap=cbrt,--wrap=remquo,--wrap=remquof");
  // The linker must not add libtsan: what the instrumentation calls is in the runtime.
  if (variant == Variant::instrumented) {
    command.insert(command.end(), {"-nodefaultlibs", "-lstdc++", "-lm", "-lgcc_s", "-lgcc", "-lc"});
    // simt/runtime/wrapped.cpp
    for (const std::string_view name :
         {"memcpy", "memmove", "memset", "malloc", "calloc", "free", "_Znwm", "_Znam", "_ZdlPv",
          "_ZdlPvm", "_ZdaPv", "_ZdaPvm"}) {
      command.push_back(fmt::format("-Wl,--wrap={}", name));
    }
  }
  return command;
}

}  // namespace

std::string fingerprint(std::string_view compiler_version) {
  Hasher hasher;
  hasher.field(compiler_version).field(processor_flag());
  for (const EmbeddedFile& file : embedded_files()) hasher.field(file.path).field(file.content);
  for (const auto& flag : common_flags({.directory = "."}, Variant::instrumented)) {
    hasher.field(flag);
  }
  return hasher.finish().hex();
}

Result<void> write_files(const Toolchain& toolchain) {
  for (const EmbeddedFile& file : embedded_files()) {
    const fs::path path = toolchain.directory / file.path;
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    if (error) {
      return fail(ErrorCode::internal,
                  fmt::format("create {}: {}", path.parent_path().string(), error.message()));
    }
    if (auto written = write_file_atomically(path, file.content); !written) return written;
  }
  for (const Variant variant : {Variant::plain, Variant::instrumented}) {
    std::error_code error;
    fs::create_directories(precompiled(toolchain, variant).parent_path(), error);
    if (error) return fail(ErrorCode::internal, "create the directory of precompiled headers");
  }
  return {};
}

fs::path runtime_library(const Toolchain& toolchain) {
  return toolchain.directory / "libassay_simt.so";
}

std::vector<Command> setup_commands(const Toolchain& toolchain) {
  std::vector<Command> commands;
  Command runtime = {toolchain.compiler,
                     "-std=c++20",
                     "-O2",
                     "-g1",
                     "-fPIC",
                     "-pthread",
                     "-shared",
                     "-fvisibility=hidden",
                     "-DASSAY_SIMT_RUNTIME",
                     "-Wl,-soname,libassay_simt.so",
                     "-I",
                     (toolchain.directory / "include").string(),
                     "-o",
                     runtime_library(toolchain).string()};
  for (const EmbeddedFile& file : embedded_files()) {
    if (file.path.starts_with("runtime/") && file.path.ends_with(".cpp")) {
      runtime.push_back((toolchain.directory / file.path).string());
    }
  }
  commands.push_back(std::move(runtime));
  for (const Variant variant : {Variant::plain, Variant::instrumented}) {
    Command header = {toolchain.compiler};
    for (auto& flag : common_flags(toolchain, variant)) {
      header.push_back(flag == "c++" ? "c++-header" : std::move(flag));
    }
    header.insert(header.end(), {"-o", precompiled(toolchain, variant).string(),
                                 (toolchain.directory / "include" / kPrelude).string()});
    commands.push_back(std::move(header));
  }
  return commands;
}

Command module_command(const Toolchain& toolchain, Variant variant, const fs::path& source,
                       const fs::path& output, const std::vector<std::string>& options) {
  Command command = compile(toolchain, variant, source, output, options);
  command.insert(command.begin() + 1, "-shared");
  return command;
}

Command program_command(const Toolchain& toolchain, Variant variant, const fs::path& source,
                        const fs::path& output, const std::vector<std::string>& options) {
  Command command = compile(toolchain, variant, source, output, options);
  command.push_back("-Wl,-rpath," + toolchain.directory.string());
  return command;
}

}  // namespace assay::simt
