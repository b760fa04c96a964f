#include "cli/config_file.hpp"

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "cli/usage_error.hpp"

namespace assay::cli {
namespace {

void give(CLI::Option& option, const CLI::ConfigItem& line) {
  if (!option.empty()) return;
  const bool is_flag = option.get_expected_min() == 0;
  if (is_flag) {
    option.add_result(option.get_flag_value(line.name, CLI::ConfigTOML().to_flag(line)));
  } else {
    option.add_result(line.inputs);
  }
  option.run_callback();
}

std::string unknown(const CLI::App& command, const std::string& name) {
  std::vector<std::string> known;
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_configurable()) continue;
    for (const std::string& one : option->get_lnames()) known.push_back(one);
  }
  const auto meant = nearest(name, known);
  return fmt::format("{} has no option '{}'{}", command.get_name(), name,
                     meant ? fmt::format(": did you mean {}?", *meant) : "");
}

}  // namespace

// Not CLI11's set_config: of a subcommand it takes the option and never reads the file.
Result<void> read_config_file(CLI::App& command, const std::filesystem::path& path) {
  ASSAY_TRY(const std::string text, read_file(path));
  const auto wrong = [&](const std::string& what) {
    return fail(ErrorCode::invalid_argument, fmt::format("{}: {}", path.string(), what));
  };
  const std::vector<std::string> own_section = {command.get_name()};
  try {
    std::istringstream lines(text);
    for (const CLI::ConfigItem& line : CLI::ConfigTOML().from_config(lines)) {
      if (line.name == "++" || line.name == "--") continue;  // a section's bounds
      const bool is_ours = line.parents.empty() || line.parents == own_section;
      CLI::Option* option = is_ours ? command.get_option_no_throw("--" + line.name) : nullptr;
      if (option == nullptr || !option->get_configurable()) {
        return wrong(unknown(command, line.fullname()));
      }
      const bool is_empty = std::ranges::all_of(line.inputs, &std::string::empty);
      if (is_empty && line.inputs.size() < 2) {
        return wrong(fmt::format("'{}' has no value", line.name));
      }
      give(*option, line);
    }
  } catch (const CLI::ParseError& error) {
    return wrong(in_plain_words(error.what(), command));
  }
  return {};
}

}  // namespace assay::cli
