#include "simt/toolchain.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/digest.hpp"
#include "base/embedded_file.hpp"
#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "simt/embedded.hpp"
#include "simt/toolchain_flags.hpp"

namespace assay::simt {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrelude = "assay/simt/prelude.hpp";

fs::path precompiled(const Toolchain& toolchain, Variant variant) {
  // A directory named like the header with .gch: the compiler takes the file that fits its flags.
  return toolchain.directory / "include" / fmt::format("{}.gch", kPrelude) /
         (variant == Variant::plain ? "plain" : "instrumented");
}

Command compile(const Toolchain& toolchain, Variant variant, const fs::path& source,
                const fs::path& output, const std::vector<std::string>& options) {
  Command command = {toolchain.compiler};
  for (auto& flag : compile_flags(toolchain, variant)) command.push_back(std::move(flag));
  command.insert(command.end(), {"-include", std::string(kPrelude)});
  command.insert(command.end(), options.begin(), options.end());
  command.insert(command.end(), {"-o", output.string(), source.string()});
  for (auto& flag : link_flags(toolchain, variant)) command.push_back(std::move(flag));
  return command;
}

}  // namespace

std::string fingerprint(std::string_view compiler_version) {
  Hasher hasher;
  hasher.field(compiler_version);
  for (const EmbeddedFile& file : embedded_files()) hasher.field(file.path).field(file.content);
  for (const auto& flag : compile_flags({.directory = "."}, Variant::instrumented)) {
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
  Command runtime = {toolchain.compiler, "-std=c++20", "-O2", "-g1", "-fPIC", "-pthread", "-shared",
                     "-fvisibility=hidden",
                     // As the headers declare it: no call for the address of a thread's variable.
                     "-ftls-model=initial-exec", "-DASSAY_SIMT_RUNTIME",
                     "-Wl,-soname,libassay_simt.so",
                     // A process may hold NVIDIA's library with functions of the same names.
                     "-Wl,--default-symver", "-I", (toolchain.directory / "include").string(), "-o",
                     runtime_library(toolchain).string()};
  for (const EmbeddedFile& file : embedded_files()) {
    if (file.path.starts_with("runtime/") && file.path.ends_with(".cpp")) {
      runtime.push_back((toolchain.directory / file.path).string());
    }
  }
  commands.push_back(std::move(runtime));
  for (const Variant variant : {Variant::plain, Variant::instrumented}) {
    Command header = {toolchain.compiler};
    for (auto& flag : compile_flags(toolchain, variant)) {
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
