#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "simt/toolchain.hpp"
#include "simt/translate.hpp"

namespace assay::simt::testing {

struct CommandResult {
  int exit_code = 0;
  std::string output;  // both streams
};

/// Runs a command to its end with no jail, deadline or limit: for tests and developers only.
[[nodiscard]] Result<CommandResult> run_command(const Command& command,
                                                const std::filesystem::path& directory);

/// A toolchain directory below the build directory, made at the first use and then kept for as
/// long as headers and runtime stay the same.
[[nodiscard]] Result<Toolchain> shared_toolchain();

/// Where shared_toolchain() puts it; nothing is made.
[[nodiscard]] Result<Toolchain> shared_toolchain_place();

struct BuildResult {
  std::filesystem::path file;
  bool compiled = false;
  std::string log;  // as a user would see it
  std::string raw_log;
};

/// Translates and compiles `source` into `directory`: a module, or a program where the options say
/// so. An instrumented program is checked by every sanitizer and reports at its end.
[[nodiscard]] Result<BuildResult> build(const Toolchain& toolchain, std::string_view source,
                                        const TranslateOptions& options, Variant variant,
                                        const std::filesystem::path& directory,
                                        const std::vector<std::string>& flags = {});

}  // namespace assay::simt::testing
