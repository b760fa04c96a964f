#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/core.h>

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

struct RefusedOption {
  std::string reason;
};

/// Reads options one by one, by a list of rules. The first that is refused ends it. `Accepted` has
/// `flags`, and `notes` on options without effect.
template <class Meaning, class Accepted>
class OptionReader {
 public:
  OptionReader(const OptionReader&) = delete;
  OptionReader& operator=(const OptionReader&) = delete;
  OptionReader(OptionReader&&) = delete;
  OptionReader& operator=(OptionReader&&) = delete;

  [[nodiscard]] std::variant<Accepted, RefusedOption> read_all(
      std::span<const std::string> options) {
    read(options);
    if (refusal_) return std::move(*refusal_);
    return std::move(accepted_);
  }

 protected:
  using Rule = OptionRule<Meaning>;

  /// `rules` outlives this.
  explicit OptionReader(std::span<const Rule> rules) : rules_(rules) {}
  ~OptionReader() = default;

  void read(std::span<const std::string> options) {
    for (std::size_t i = 0; i < options.size() && !refusal_; ++i) {
      const std::string& option = options[i];
      const auto found = match_option<Meaning>(rules_, option);
      if (!found) return refuse(option, "is not among the options accepted here");
      if (found->value) {
        apply(*found->rule, *found->value, option);
      } else if (i + 1 < options.size()) {
        apply(*found->rule, options[i + 1], option + " " + options[i + 1]);
        ++i;
      } else {
        refuse(option, "needs a value");
      }
    }
  }

  virtual void apply(const Rule& rule, std::string_view value, std::string_view option) = 0;

  void refuse(std::string_view option, std::string_view why) {
    refusal_ = RefusedOption{fmt::format("compiler option '{}' {}", option, why)};
  }
  void pass(std::string flag) { accepted_.flags.push_back(std::move(flag)); }
  void note(std::string_view option, std::string_view why) {
    accepted_.notes.push_back(fmt::format("note: compiler option '{}' {}", option, why));
  }

  Accepted accepted_;

 private:
  std::span<const Rule> rules_;
  std::optional<RefusedOption> refusal_;
};

/// The libraries of CUDA that are there for every kernel.
inline bool is_cuda_library(std::string_view name) {
  constexpr std::array<std::string_view, 4> kLibraries = {"cuda", "cudart", "cudadevrt", "nvrtc"};
  return std::ranges::find(kLibraries, name) != kLibraries.end();
}

/// NAME, NAME=VALUE or NAME(PARAMETERS)=VALUE, on one line.
inline bool is_macro(std::string_view text) {
  const std::string_view name = text.substr(0, text.find_first_of("=("));
  const bool one_line =
      text.find_first_of("\n\r") == std::string_view::npos && !text.ends_with('\\');
  return one_line && !name.empty() && std::ranges::all_of(name, is_word);
}

}  // namespace assay::compile
