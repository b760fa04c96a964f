#include "cli/config_file.hpp"

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"

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
        return wrong(fmt::format("{} has no option '{}'", command.get_name(), line.fullname()));
      }
      give(*option, line);
    }
  } catch (const CLI::ParseError& error) {
    return wrong(error.what());
  }
  return {};
}

}  // namespace assay::cli
