#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "trace/utf8.hpp"

namespace assay::trace {
namespace {

constexpr std::size_t kNarrowest = 12;  // below this there is no room for three parts

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80U; });
}

/// How many characters all of them begin with.
std::size_t common_beginning(const std::vector<std::string_view>& texts) {
  std::size_t length = texts.front().size();
  for (const std::string_view text : texts) {
    const auto [a, b] = std::ranges::mismatch(texts.front(), text);
    length = std::min(length, static_cast<std::size_t>(a - texts.front().begin()));
  }
  return length;
}

/// Head, a window that begins a little before `at`, tail.
std::string around(std::string_view text, std::size_t at, std::size_t width) {
  const std::size_t head = width / 4;
  const std::size_t tail = width / 6;
  const std::size_t window = width - head - tail - 2;
  const std::size_t last = text.size() - tail;
  const std::size_t from =
      std::clamp(at > 2 ? at - 2 : 0, head, std::max(head, last > window ? last - window : head));
  return fmt::format("{}…{}…{}", text.substr(0, head), text.substr(from, window),
                     text.substr(last));
}

using Groups = std::map<std::string, std::set<std::string_view>>;  // by what is shown

Groups alike(const std::vector<std::string>& texts, const std::vector<std::string>& shown) {
  Groups groups;
  for (std::size_t i = 0; i < texts.size(); ++i) groups[shown[i]].insert(texts[i]);
  std::erase_if(groups, [](const auto& entry) { return entry.second.size() < 2; });
  return groups;
}

}  // namespace

std::vector<std::string> shorten_apart(const std::vector<std::string>& texts, std::size_t width) {
  std::vector<std::string> shown;
  shown.reserve(texts.size());
  for (const std::string& text : texts) shown.push_back(shorten_middle(text, width));
  if (width < kNarrowest) return shown;
  // Names that are alike up to one place may differ again further on: each round looks further.
  constexpr int kRounds = 4;
  for (int round = 0; round < kRounds; ++round) {
    for (const auto& [same, group] : alike(texts, shown)) {
      const std::vector<std::string_view> members(group.begin(), group.end());
      if (!std::ranges::all_of(members, is_ascii)) continue;
      const std::size_t at = common_beginning(members);
      for (std::size_t i = 0; i < texts.size(); ++i) {
        if (shown[i] == same && group.contains(texts[i])) shown[i] = around(texts[i], at, width);
      }
    }
  }
  // Names that differ in several places, or not in letters: numbered.
  std::size_t number = 0;  // over all groups: two of them may be cut to the same text
  for (const auto& [same, group] : alike(texts, shown)) {
    std::map<std::string_view, std::string> numbered;
    for (const std::string_view text : group) {
      const std::string mark = fmt::format("~{}", ++number);
      numbered[text] = shorten_middle(text, width - mark.size()) + mark;
    }
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (shown[i] == same && group.contains(texts[i])) shown[i] = numbered[texts[i]];
    }
  }
  return shown;
}

}  // namespace assay::trace
