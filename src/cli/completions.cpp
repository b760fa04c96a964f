#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <fmt/format.h>

#include "cli/commands.hpp"

namespace assay::cli {
namespace {

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* one) { return !one->get_group().empty(); });
}

std::vector<std::string> options_of(const CLI::App& command) {
  std::vector<std::string> words;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
  }
  for (const CLI::App* inner : commands_of(command)) words.push_back(inner->get_name());
  return words;
}

std::vector<std::string> names_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands_of(app)) names.push_back(command->get_name());
  return names;
}

/// Files are offered beside the options: most commands take some.
std::string bash(const CLI::App& app) {
  std::string cases;
  for (const CLI::App* command : commands_of(app)) {
    cases += fmt::format("    {}) words='{}' ;;\n", command->get_name(),
                         fmt::join(options_of(*command), " "));
  }
  return fmt::format(R"(# bash completion of assay; load it with: source <(assay completions bash)
_assay() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}" words='{} --help --version'
  case "${{COMP_WORDS[1]:-}}" in
{}  esac
  [ "$COMP_CWORD" -gt 1 ] || words='{} --help --version'
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
  if [ "$COMP_CWORD" -gt 1 ] && [[ "$word" != -* ]]; then
    mapfile -t -O "${{#COMPREPLY[@]}}" COMPREPLY < <(compgen -f -- "$word")
  fi
}}
complete -o filenames -F _assay assay
)",
                     fmt::join(names_of(app), " "), cases, fmt::join(names_of(app), " "));
}

std::string zsh(const CLI::App& app) {
  return "#compdef assay\n# zsh completion of assay; load it with: source <(assay completions "
         "zsh)\n"
         "autoload -U +X bashcompinit && bashcompinit\n" +
         bash(app);
}

/// Text within single quotes.
std::string quoted(std::string text) {
  for (std::size_t at = 0; (at = text.find('\'', at)) != std::string::npos; at += 2) {
    text.replace(at, 1, "\\'");
  }
  return "'" + text + "'";
}

std::string fish(const CLI::App& app) {
  std::string text = "# fish completion of assay; load it with: assay completions fish | source\n";
  for (const CLI::App* command : commands_of(app)) {
    text += fmt::format("complete -c assay -n __fish_use_subcommand -f -a {} -d {}\n",
                        command->get_name(), quoted(command->get_description()));
    for (const CLI::Option* option : command->get_options()) {
      for (const std::string& name : option->get_lnames()) {
        text += fmt::format("complete -c assay -n '__fish_seen_subcommand_from {}' -l {} -d {}\n",
                            command->get_name(), name, quoted(option->get_description()));
      }
    }
  }
  return text;
}

}  // namespace

void add_completions(CLI::App& app) {
  auto* command = app.add_subcommand("completions", "Print the completion script of a shell");
  auto shell = std::make_shared<std::string>();  // shared with the callback
  command->add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->footer("Example:\n  source <(assay completions bash)");
  command->callback([&app, shell] {
    fmt::print("{}", *shell == "bash" ? bash(app) : *shell == "zsh" ? zsh(app) : fish(app));
  });
}

}  // namespace assay::cli
