#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
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

/// A word that can be typed at some place, with what it means.
struct Word {
  std::string text;
  std::string meaning;
};

/// A command, or a command of a command, with the words that may follow it.
struct Place {
  std::vector<std::string> path;  // {"token", "create"}; empty: assay itself
  std::vector<Word> plain;        // commands, or what an argument may be that takes one of a few
  std::vector<Word> options;
};

/// The library writes what an argument may be as "TEXT:{bash,zsh,fish}".
void add_choices(const CLI::Option& argument, std::vector<Word>& words) {
  const std::string type = argument.get_type_name();
  const std::size_t open = type.find('{');
  if (open == std::string::npos) return;
  std::string rest = type.substr(open + 1, type.find('}') - open - 1);
  for (std::size_t comma = 0; comma != std::string::npos; rest.erase(0, comma + 1)) {
    comma = rest.find(',');
    words.push_back({rest.substr(0, comma), argument.get_description()});
    if (comma == std::string::npos) return;
  }
}

void add_places(const CLI::App& app, const std::vector<std::string>& path,
                std::vector<Place>& places) {
  Place place{.path = path};
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) add_choices(*option, place.plain);
    for (const std::string& name : option->get_lnames()) {
      place.options.push_back({"--" + name, option->get_description()});
    }
  }
  for (const CLI::App* inner : commands_of(app)) {
    place.plain.push_back({inner->get_name(), inner->get_description()});
  }
  places.push_back(std::move(place));
  for (const CLI::App* inner : commands_of(app)) {
    std::vector<std::string> longer = path;
    longer.push_back(inner->get_name());
    add_places(*inner, longer, places);
  }
}

std::vector<Place> places_of(const CLI::App& app) {
  std::vector<Place> places;
  add_places(app, {}, places);
  return places;
}

/// Text within single quotes, for bash and zsh.
std::string quoted(std::string text) {
  for (std::size_t at = 0; (at = text.find('\'', at)) != std::string::npos; at += 4) {
    text.replace(at, 1, "'\\''");
  }
  return "'" + text + "'";
}

/// " token create": where the words before the cursor have led.
std::string key_of(const Place& place) {
  return place.path.empty() ? "" : fmt::format(" {}", fmt::join(place.path, " "));
}

/// The keys of all commands, as a pattern of `case`.
std::string pattern_of(const std::vector<Place>& places) {
  std::vector<std::string> keys;
  for (const Place& place : places) {
    if (!place.path.empty()) keys.push_back(quoted(key_of(place)));
  }
  return fmt::format("{}", fmt::join(keys, "|"));
}

/// Options where a dash is typed; else the few words that fit, or files where none are known.
std::string bash(const std::vector<Place>& places) {
  const auto joined = [](const std::vector<Word>& words) {
    std::string text;
    for (const Word& word : words) text += (text.empty() ? "" : " ") + word.text;
    return text;
  };
  std::string cases;
  for (const Place& place : places) {
    cases += fmt::format("    {}) plain='{}' options='{}' ;;\n", quoted(key_of(place)),
                         joined(place.plain), joined(place.options));
  }
  return fmt::format(R"(# bash completion of assay; load it with: source <(assay completions bash)
_assay() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}" plain='' options='' at='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at ${{COMP_WORDS[i]}}" in
      {}) at="$at ${{COMP_WORDS[i]}}" ;;
    esac
  done
  case "$at" in
{}  esac
  if [[ "$word" == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
  elif [ -n "$plain" ]; then
    mapfile -t COMPREPLY < <(compgen -W "$plain" -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}}
complete -o filenames -F _assay assay
)",
                     pattern_of(places), cases);
}

/// "name:what it means", as _describe takes it.
std::string described(const Word& word) {
  std::string name = word.text;
  for (std::size_t at = 0; (at = name.find(':', at)) != std::string::npos; at += 2) {
    name.insert(at, "\\");
  }
  return quoted(name + ":" + word.meaning);
}

std::string zsh(const std::vector<Place>& places) {
  std::string cases;
  for (const Place& place : places) {
    cases += fmt::format("    ({})\n", quoted(key_of(place)));
    const auto add = [&](std::string_view array, const std::vector<Word>& words) {
      if (words.empty()) return;
      cases += fmt::format("      {}=(\n", array);
      for (const Word& word : words) cases += fmt::format("        {}\n", described(word));
      cases += "      )\n";
    };
    add("plain", place.plain);
    add("options", place.options);
    cases += "      ;;\n";
  }
  // The file is a function where zsh finds it by its first line, and a script where it is sourced.
  return fmt::format(R"(#compdef assay
# zsh completion of assay; load it with: source <(assay completions zsh)
_assay() {{
  local at='' i
  local -a plain options
  for ((i = 2; i < CURRENT; i++)); do
    case "$at ${{words[i]}}" in
      ({}) at="$at ${{words[i]}}" ;;
    esac
  done
  case "$at" in
{}  esac
  if [[ "${{words[CURRENT]}}" == -* ]]; then
    _describe -o 'option' options
  elif (( ${{#plain}} )); then
    _describe 'word' plain
  else
    _files
  fi
}}
if [[ "${{funcstack[1]}}" == _assay ]]; then
  _assay "$@"
else
  (( $+functions[compdef] )) || {{ autoload -U compinit && compinit }}
  compdef _assay assay
fi
)",
                     pattern_of(places), cases);
}

/// Text within single quotes, for fish.
std::string quoted_for_fish(std::string text) {
  for (std::size_t at = 0; (at = text.find('\'', at)) != std::string::npos; at += 2) {
    text.replace(at, 1, "\\'");
  }
  return "'" + text + "'";
}

/// Whether the words before the cursor have led to this place, and to none below it.
std::string condition_of(const Place& place) {
  std::string condition;
  for (const std::string& word : place.path) {
    condition +=
        fmt::format("{}__fish_seen_subcommand_from {}", condition.empty() ? "" : "; and ", word);
  }
  if (place.plain.empty()) return condition;
  std::vector<std::string> below;
  for (const Word& word : place.plain) below.push_back(word.text);
  return fmt::format("{}{}not __fish_seen_subcommand_from {}", condition,
                     condition.empty() ? "" : "; and ", fmt::join(below, " "));
}

std::string fish(const std::vector<Place>& places) {
  std::string text = "# fish completion of assay; load it with: assay completions fish | source\n";
  for (const Place& place : places) {
    const std::string condition = quoted_for_fish(condition_of(place));
    for (const Word& word : place.plain) {
      text += fmt::format("complete -c assay -n {} -f -a {} -d {}\n", condition, word.text,
                          quoted_for_fish(word.meaning));
    }
    for (const Word& word : place.options) {
      text += fmt::format("complete -c assay -n {} -l {} -d {}\n", condition, word.text.substr(2),
                          quoted_for_fish(word.meaning));
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
    const std::vector<Place> places = places_of(app);
    fmt::print("{}", *shell == "bash"  ? bash(places)
                     : *shell == "zsh" ? zsh(places)
                                       : fish(places));
  });
}

}  // namespace assay::cli
