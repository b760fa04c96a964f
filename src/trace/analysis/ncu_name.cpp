#include "trace/analysis/ncu_name.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "base/text.hpp"
#include "model/kernel_name.hpp"

namespace assay::trace {
namespace {

/// Words that only some demanglers write.
bool is_spelling(std::string_view word) {
  constexpr std::array<std::string_view, 6> kWords = {"unnamed",  "anonymous", "namespace",
                                                      "unsigned", "const",     "enum"};
  return std::ranges::find(kWords, word) != kWords.end();
}

/// The words between the angle brackets of a comparable name. What comes after a lambda is left
/// out: no two demanglers number lambdas alike.
std::vector<std::string> argument_words(std::string_view comparable, std::string_view identifier) {
  constexpr std::size_t kMostWords = 40;  // tells any two kernels apart that a program has
  std::vector<std::string> words;
  const std::size_t at = comparable.rfind(std::string(identifier) + "<");
  if (at == std::string_view::npos) return words;
  std::string_view rest = comparable.substr(at + identifier.size());
  rest = rest.substr(0, rest.find("lambda"));
  std::string word;
  for (std::size_t i = 0; i <= rest.size() && words.size() < kMostWords; ++i) {
    if (i < rest.size() && is_word(rest[i])) {
      word += rest[i];
    } else if (!word.empty()) {
      if (!is_spelling(word)) words.push_back(word);
      word.clear();
    }
  }
  return words;
}

/// Whether `words` occur in `all` in their order.
bool in_order(const std::vector<std::string>& words, const std::vector<std::string>& all) {
  auto at = all.begin();
  for (const std::string& word : words) {
    at = std::find(at, all.end(), word);
    if (at == all.end()) return false;
    ++at;
  }
  return true;
}

/// The words, in their order, of which each tells the kernel from another of its identifier.
std::vector<std::string> telling_words(const std::vector<std::string>& words,
                                       const std::string& identifier,
                                       const std::vector<std::string_view>& others) {
  std::vector<bool> needed(words.size(), false);
  const auto chosen = [&] {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (needed[i]) out.push_back(words[i]);
    }
    return out;
  };
  for (const std::string_view other : others) {
    if (short_kernel_name(other) != identifier) continue;
    const auto theirs = argument_words(comparable_kernel_name(other), identifier);
    if (theirs == words || !in_order(chosen(), theirs)) continue;
    std::size_t alone = 0;
    while (alone < words.size() && std::ranges::find(theirs, words[alone]) != theirs.end()) ++alone;
    if (alone == words.size()) return words;  // told by order or number alone, if at all
    needed[alone] = true;
  }
  return chosen();
}

std::string word_regex(const std::string& word) {
  if (word == "true") return "(\\btrue\\b|\\(bool\\)1)";
  if (word == "false") return "(\\bfalse\\b|\\(bool\\)0)";
  const bool number =
      std::ranges::all_of(word, [](unsigned char c) { return std::isdigit(c) != 0; });
  // A number ends an argument. The number of a lambda does not: ncu writes "(instance 4)".
  return number ? fmt::format("\\b{}u?l* ?(,|>|\\])", word) : fmt::format("\\b{}\\b", word);
}

}  // namespace

std::string regex_escaped(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (std::string_view("\\^$.|?*+()[]{}").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

NcuName::NcuName(std::string_view name, const std::vector<std::string_view>& others)
    : mangled_(name.starts_with("_Z")) {
  if (mangled_ || std::ranges::all_of(name, is_word)) {
    whole_ = name;
    regex_ = fmt::format("^{}$", name);
    return;
  }
  identifier_ = short_kernel_name(name);
  if (!std::ranges::all_of(identifier_, is_word)) {  // nothing a demangler would write
    whole_ = name;
    regex_ = fmt::format("^{}$", regex_escaped(name));
    return;
  }
  words_ = argument_words(comparable_kernel_name(name), identifier_);
  if (!others.empty()) words_ = telling_words(words_, identifier_, others);
  regex_ = fmt::format("\\b{}{}", identifier_, words_.empty() ? "(<|\\(|$)" : "<");
  for (const std::string& word : words_) regex_ += ".*" + word_regex(word);
}

bool NcuName::fits(std::string_view name) const {
  if (!whole_.empty()) return name == whole_;
  if (short_kernel_name(name) != identifier_) return false;
  return in_order(words_, argument_words(comparable_kernel_name(name), identifier_));
}

}  // namespace assay::trace
