#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace assay::simt {

using Command = std::vector<std::string>;  // argv; nothing goes through a shell

/// Whether loads and stores report to the runtime. The sanitizers memory, race and init need that.
/// Instrumented code runs many times slower.
enum class Variant : std::uint8_t { plain, instrumented };

/// A compiler, and a directory of headers, precompiled headers and runtime made for it. The
/// directory's content depends on nothing but fingerprint(). So whoever runs the setup commands may
/// keep it for ever.
struct Toolchain {
  std::filesystem::path directory;
  std::string compiler = "g++";
};

/// What must be equal for two toolchain directories to be interchangeable: the embedded files, the
/// flags for this processor and `compiler_version` (the output of `g++ --version`).
[[nodiscard]] std::string fingerprint(std::string_view compiler_version);

/// Writes headers and runtime sources into the toolchain's directory.
[[nodiscard]] Result<void> write_files(const Toolchain& toolchain);
/// The commands that then build libassay_simt.so and the precompiled headers. They may run in any
/// order, or at once.
[[nodiscard]] std::vector<Command> setup_commands(const Toolchain& toolchain);

[[nodiscard]] std::filesystem::path runtime_library(const Toolchain& toolchain);

/// Compiles one translated source into a kernel module. `options` are further flags of the
/// compiler, such as -D.
[[nodiscard]] Command module_command(const Toolchain& toolchain, Variant variant,
                                     const std::filesystem::path& source,
                                     const std::filesystem::path& output,
                                     const std::vector<std::string>& options = {});
/// Compiles one translated source with a main() into a program that finds the runtime by path.
[[nodiscard]] Command program_command(const Toolchain& toolchain, Variant variant,
                                      const std::filesystem::path& source,
                                      const std::filesystem::path& output,
                                      const std::vector<std::string>& options = {});

}  // namespace assay::simt
