#include "cli/usage_error.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <fmt/format.h>

#include "base/nearest.hpp"

namespace assay::cli {
namespace {

/// "a whole number" or "a number", by the type of the option; empty for anything else.
std::string_view kind_of(const CLI::App& command, const std::string& name) {
  const CLI::Option* option = command.get_option_no_throw(name);
  if (option == nullptr) return "";
  const std::string type = option->get_type_name();
  if (type.starts_with("INT") || type.starts_with("UINT")) return "a whole number";
  return type.starts_with("FLOAT") ? "a number" : "";
}

/// "Could not convert: --timeout = abc".
std::string of_conversion(std::string_view rest, const CLI::App& command) {
  const std::size_t equals = rest.find(" = ");
  if (equals == std::string_view::npos) return {};
  const std::string name(rest.substr(0, equals));
  const std::string_view kind = kind_of(command, name);
  if (kind.empty()) return {};
  return fmt::format("{} wants {}, not '{}'", name, kind, rest.substr(equals + 3));
}

/// "0.5" of "0.500000".
std::string without_zeros(std::string number) {
  if (number.find('.') == std::string::npos) return number;
  number.erase(number.find_last_not_of('0') + 1);
  if (number.ends_with('.')) number.pop_back();
  return number;
}

/// "--port: Value 99999999 not in range 0 to 65535"; later versions write "[0 - 65535]".
std::string of_range(const std::string& name, std::string_view rest, const CLI::App& command) {
  constexpr std::string_view kRange = " not in range ";
  const std::size_t at = rest.find(kRange);
  if (!rest.starts_with("Value ") || at == std::string_view::npos) return {};
  const std::string_view given = rest.substr(6, at - 6);
  std::string bounds(rest.substr(at + kRange.size()));
  std::erase_if(bounds, [](char c) { return c == '[' || c == ']'; });
  if (const std::size_t dash = bounds.find(" - "); dash != std::string::npos) {
    bounds.replace(dash, 3, " to ");
  }
  const std::size_t middle = bounds.find(" to ");
  if (middle == std::string::npos) return {};
  const std::string_view kind = kind_of(command, name);
  return fmt::format("{} wants {} from {} to {}, not '{}'", name, kind.empty() ? "a number" : kind,
                     without_zeros(bounds.substr(0, middle)),
                     without_zeros(bounds.substr(middle + 4)), given);
}

/// "--max-body: abc unit not recognized. Allowed values: …".
std::string of_size(const std::string& name, std::string_view rest) {
  const std::size_t at = rest.find(" unit not recognized");
  if (at == std::string_view::npos) return {};
  return fmt::format("{} wants a size such as 512mb or 2gb, not '{}'", name, rest.substr(0, at));
}

/// "FILES: File does not exist: a.cu".
std::string of_file(std::string_view rest) {
  constexpr std::string_view kAbsent = "File does not exist: ";
  constexpr std::string_view kDirectory = "File is actually a directory: ";
  if (rest.starts_with(kAbsent)) {
    return fmt::format("there is no file '{}'", rest.substr(kAbsent.size()));
  }
  if (rest.starts_with(kDirectory)) {
    return fmt::format("'{}' is a directory, not a file", rest.substr(kDirectory.size()));
  }
  return {};
}

/// "--trials: 1 required TEXT missing", "FILES: At Most 2 required but received 3".
std::string of_count(const std::string& name, std::string_view rest) {
  constexpr std::string_view kMost = "At Most ";
  constexpr std::string_view kGiven = " required but received ";
  if (rest.starts_with("1 required ") && rest.ends_with(" missing")) {
    return fmt::format("{} wants a value", name);
  }
  const std::size_t at = rest.find(kGiven);
  if (!rest.starts_with(kMost) || at == std::string_view::npos) return {};
  return fmt::format("{}: {} at most, not {}", name, rest.substr(kMost.size(), at - kMost.size()),
                     rest.substr(at + kGiven.size()));
}

/// "SHELL: tcsh not in {bash,zsh,fish}".
std::string of_words(const std::string& name, std::string_view rest) {
  constexpr std::string_view kWords = " not in {";
  const std::size_t at = rest.find(kWords);
  if (at == std::string_view::npos || !rest.ends_with('}')) return {};
  std::string_view left = rest.substr(at + kWords.size());
  left.remove_suffix(1);
  std::vector<std::string> words;
  for (std::size_t comma = 0; comma != std::string_view::npos; left.remove_prefix(comma + 1)) {
    comma = left.find(',');
    words.emplace_back(left.substr(0, comma));
    if (comma == std::string_view::npos) break;
  }
  return fmt::format("{}: {}", name, not_among(rest.substr(0, at), words));
}

}  // namespace

std::string not_among(std::string_view given, const std::vector<std::string>& words) {
  const auto meant = nearest(given, words);
  return fmt::format("there is no '{}'{} Known: {}", given,
                     meant ? fmt::format(": did you mean {}?", *meant) : ".",
                     fmt::join(words, ", "));
}

std::string command_path(const CLI::App& app) {
  const auto commands = app.get_subcommands();
  if (commands.empty()) return {};
  const std::string inner = command_path(*commands.front());
  return commands.front()->get_name() + (inner.empty() ? "" : " " + inner);
}

std::string in_plain_words(const std::string& message, const CLI::App& command) {
  constexpr std::string_view kConversion = "Could not convert: ";
  std::string plain;
  if (message.starts_with(kConversion)) {
    plain = of_conversion(std::string_view(message).substr(kConversion.size()), command);
  } else if (const std::size_t colon = message.find(": "); colon != std::string::npos) {
    const std::string name = message.substr(0, colon);
    const std::string_view rest = std::string_view(message).substr(colon + 2);
    plain = of_range(name, rest, command);
    if (plain.empty()) plain = of_size(name, rest);
    if (plain.empty()) plain = of_file(rest);
    if (plain.empty()) plain = of_count(name, rest);
    if (plain.empty()) plain = of_words(name, rest);
  }
  return plain.empty() ? message : plain;
}

}  // namespace assay::cli
