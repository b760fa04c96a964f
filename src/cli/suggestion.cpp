#include "cli/suggestion.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <fmt/format.h>

namespace assay::cli {
namespace {

/// Letters to add, drop or change to make one word the other.
std::size_t distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < to.size(); ++j) {
      const std::size_t changed = diagonal + (from[i] == to[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

/// The command that was chosen, or all of them.
const CLI::App& chosen(const CLI::App& app) {
  const auto commands = app.get_subcommands();
  return commands.empty() ? app : chosen(*commands.front());
}

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

}  // namespace

std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known) {
  std::optional<std::string> best;
  // A third of the letters may be wrong; of short words two, which a swap of two letters is.
  std::size_t least = std::max<std::size_t>(3, word.size() / 3 + 1);
  for (const std::string& one : known) {
    const std::size_t far = distance(word, one);
    const bool is_beginning = word.size() > 3 && one.starts_with(word);
    if (is_beginning && !best) best = one;
    if (far >= least) continue;
    least = far;
    best = one;
  }
  return best;
}

bool has_unknown_option(const CLI::App& app) {
  return std::ranges::any_of(app.remaining(true), [](const std::string& argument) {
    return argument.size() > 1 && argument.starts_with('-');
  });
}

std::string unknown_arguments(const CLI::App& app) {
  const CLI::App& command = chosen(app);
  const std::vector<std::string> words = words_of(command);
  std::string text;
  for (const std::string& argument : app.remaining(true)) {
    const std::string word = argument.substr(0, argument.find('='));
    const auto meant = nearest(word, words);
    text += fmt::format("{}there is no {} '{}'{}", text.empty() ? "" : " ",
                        word.starts_with('-') ? "option" : "argument", word,
                        meant ? fmt::format(": did you mean {}?", *meant) : ".");
  }
  const std::string place =
      &command == &app ? "assay --help" : fmt::format("assay {} --help", command.get_name());
  return fmt::format("{} See {}", text, place);
}

bool needs_command(const CLI::App& app) {
  return chosen(app).get_require_subcommand_min() > 0;
}

std::string missing_command(const CLI::App& app) {
  const CLI::App& command = chosen(app);
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
  const std::string all = fmt::format("{}", fmt::join(words, ", "));
  return {[words = std::move(words), all](const std::string& given) {
            if (std::ranges::find(words, given) != words.end()) return std::string();
            const auto meant = nearest(given, words);
            return fmt::format("there is no '{}'{} Known: {}", given,
                               meant ? fmt::format(": did you mean {}?", *meant) : ".", all);
          },
          ""};
}

}  // namespace assay::cli
