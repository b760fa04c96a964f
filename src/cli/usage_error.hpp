#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

namespace assay::cli {

/// "token create": the words that lead to the command that was chosen; empty if none was.
[[nodiscard]] std::string command_path(const CLI::App& app);

/// Says that only `words` may stand there, and which one may have been meant.
[[nodiscard]] std::string not_among(std::string_view given, const std::vector<std::string>& words);

/// What the library says of a value that it does not take, in plain words: what is wanted, and what
/// was given. `command` has the option. Every other message stays as it is.
[[nodiscard]] std::string in_plain_words(const std::string& message, const CLI::App& command);

}  // namespace assay::cli
