#include "cli/suggestion.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <fmt/format.h>

#include "base/nearest.hpp"
#include "cli/usage_error.hpp"

namespace assay::cli {
namespace {

std::vector<std::string> words_of(const CLI::App& command) {
  std::vector<std::string> words;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
  }
  for (const CLI::App* inner :
       command.get_subcommands([](const CLI::App* one) { return !one->get_group().empty(); })) {
    words.push_back(inner->get_name());
  }
  return words;
}

/// What was not understood. What follows "--" is another program's.
std::vector<std::string> before_program(const CLI::App& app) {
  std::vector<std::string> words = app.remaining(true);
  words.erase(std::ranges::find(words, "--"), words.end());
  return words;
}

}  // namespace

const CLI::App& chosen_command(const CLI::App& app) {
  const auto commands = app.get_subcommands();
  return commands.empty() ? app : chosen_command(*commands.front());
}

bool has_unknown_option(const CLI::App& app) {
  return std::ranges::any_of(before_program(app), [](const std::string& argument) {
    return argument.size() > 1 && argument.starts_with('-');
  });
}

std::string unknown_arguments(const CLI::App& app) {
  const CLI::App& command = chosen_command(app);
  const std::vector<std::string> words = words_of(command);
  std::string text;
  const std::vector<std::string> before = before_program(app);
  for (const std::string& argument : before.empty() ? app.remaining(true) : before) {
    const std::string word = argument.substr(0, argument.find('='));
    const auto meant = nearest(word, words);
    text += fmt::format("{}there is no {} '{}'{}", text.empty() ? "" : " ",
                        word.starts_with('-') ? "option" : "argument", word,
                        meant ? fmt::format(": did you mean {}?", *meant) : ".");
  }
  const std::string path = command_path(app);
  return fmt::format("{} See assay {}{}--help", text, path, path.empty() ? "" : " ");
}

bool needs_command(const CLI::App& app) {
  return chosen_command(app).get_require_subcommand_min() > 0;
}

std::string missing_command(const CLI::App& app) {
  const CLI::App& command = chosen_command(app);
  if (&command == &app) {
    return "give a command: `assay --help` lists them, and `assay init` writes a first kernel";
  }
  std::vector<std::string> names;
  for (const CLI::App* inner :
       command.get_subcommands([](const CLI::App* one) { return !one->get_group().empty(); })) {
    names.push_back(inner->get_name());
  }
  return fmt::format("assay {} needs one of: {}", command.get_name(), fmt::join(names, ", "));
}

CLI::Validator one_of(std::vector<std::string> words) {
  return {[words = std::move(words)](const std::string& given) {
            const bool is_known = std::ranges::find(words, given) != words.end();
            return is_known ? std::string() : not_among(given, words);
          },
          ""};
}

}  // namespace assay::cli
