#pragma once

#include <filesystem>

#include <CLI/CLI.hpp>

#include "base/result.hpp"

namespace assay::cli {

/// Gives each option of a command that was parsed, and that neither the command line nor the
/// environment has set, the value of its line in a TOML file: `max-queued = 7` for --max-queued.
/// Fails with `invalid_argument` naming the file and what is wrong with which line.
[[nodiscard]] Result<void> read_config_file(CLI::App& command, const std::filesystem::path& path);

}  // namespace assay::cli
