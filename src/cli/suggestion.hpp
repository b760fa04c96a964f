#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace assay::cli {

/// The innermost command that was chosen, or the whole program.
[[nodiscard]] const CLI::App& chosen_command(const CLI::App& app);

/// Whether the command line has an option that its command does not know.
[[nodiscard]] bool has_unknown_option(const CLI::App& app);

/// The message about arguments that the command line does not know: which they are, and what may
/// have been meant.
[[nodiscard]] std::string unknown_arguments(const CLI::App& app);

/// Whether the chosen command needs another word after it and has none, as in `assay token`.
[[nodiscard]] bool needs_command(const CLI::App& app);

/// The message in that case.
[[nodiscard]] std::string missing_command(const CLI::App& app);

/// Accepts only these words. For another word it says which one may have been meant.
[[nodiscard]] CLI::Validator one_of(std::vector<std::string> words);

}  // namespace assay::cli
