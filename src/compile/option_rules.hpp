#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/text.hpp"

namespace assay::compile {

/// How an option of nvcc or nvrtc carries its value.
enum class OptionValue : std::uint8_t {
  none,
  joined,    // -DNAME: the value follows at once
  either,    // -D NAME as well
  required,  // --define-macro=NAME or --define-macro NAME
};

/// One line of a list of options that are accepted, and what is done with each.
template <class Meaning>
struct OptionRule {
  constexpr OptionRule(std::string_view spelling, OptionValue form, Meaning sense)
      : name(spelling), value(form), meaning(sense) {}
  std::string_view name;
  OptionValue value;
  Meaning meaning;
};

template <class Meaning>
struct OptionMatch {
  const OptionRule<Meaning>* rule;
  std::optional<std::string_view> value;  // absent: it is the next option
};

/// The rule for an option. In `rules` a longer name stands before any shorter one it begins with.
template <class Meaning>
std::optional<OptionMatch<Meaning>> match_option(std::span<const OptionRule<Meaning>> rules,
                                                 std::string_view option) {
  using Match = OptionMatch<Meaning>;
  for (const auto& rule : rules) {
    if (!option.starts_with(rule.name)) continue;
    const std::string_view rest = option.substr(rule.name.size());
    const bool alone = rule.value == OptionValue::none || rule.value == OptionValue::joined;
    const bool joined = rule.value == OptionValue::joined || rule.value == OptionValue::either;
    if (rest.empty() && !alone) return Match{.rule = &rule, .value = std::nullopt};
    if (rest.empty() || joined) return Match{.rule = &rule, .value = rest};
    if (rule.value == OptionValue::required && rest[0] == '=') {
      return Match{.rule = &rule, .value = rest.substr(1)};
    }
  }
  return std::nullopt;
}

/// NAME, NAME=VALUE or NAME(PARAMETERS)=VALUE, on one line.
inline bool is_macro(std::string_view text) {
  const std::string_view name = text.substr(0, text.find_first_of("=("));
  const bool one_line =
      text.find_first_of("\n\r") == std::string_view::npos && !text.ends_with('\\');
  return one_line && !name.empty() && std::ranges::all_of(name, is_word);
}

}  // namespace assay::compile
