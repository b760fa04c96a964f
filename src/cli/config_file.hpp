#pragma once

#include <filesystem>

#include <CLI/CLI.hpp>

#include "base/result.hpp"

namespace assay::cli {

/// Gives options of a parsed command the values of their lines in a TOML file: `max-queued = 7` for
/// --max-queued. What the command line or the environment has set stays as it is. Fails with
/// `invalid_argument` naming the file and what is wrong with which line.
[[nodiscard]] Result<void> read_config_file(CLI::App& command, const std::filesystem::path& path);

}  // namespace assay::cli
