#include "wire/json_mistake.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace assay::wire {
namespace {

/// The library's sentence without its number and place: "… - unexpected '}'; expected …".
std::string sentence_of(std::string_view what) {
  if (const std::size_t reason = what.find(" - "); reason != std::string_view::npos) {
    what.remove_prefix(reason + 3);
  }
  if (const std::size_t last = what.find("; last read: "); last != std::string_view::npos) {
    const std::size_t expected = what.find("; expected ", last);
    return std::string(what.substr(0, last)) +
           (expected == std::string_view::npos ? "" : std::string(what.substr(expected)));
  }
  return std::string(what);
}

/// What people usually meant by it, as the end of the sentence; empty where it is unusual.
std::string_view hint_for(std::string_view before, std::string_view after) {
  if (before.empty() && (after.starts_with("\xff\xfe") || after.starts_with("\xfe\xff"))) {
    return " (this is UTF-16: save it as UTF-8)";
  }
  const char next = after.empty() ? ' ' : after.front();
  const std::size_t last = before.find_last_not_of(" \t\r\n");
  const char previous = last == std::string_view::npos ? ' ' : before[last];
  if (previous == ',' && (next == '}' || next == ']')) return " (there is a comma too many)";
  if (next == '\'') return " (JSON wants double quotes)";
  if (next == '/' || next == '#') return " (JSON has no comments)";
  if (next == 'N' || next == 'T' || next == 'F' || next == 'I') {
    return " (JSON has null, true and false, and no NaN or Infinity)";
  }
  return "";
}

}  // namespace

std::string json_mistake(std::string_view text) {
  try {
    [[maybe_unused]] const auto parsed = nlohmann::json::parse(text);
    return {};
  } catch (const nlohmann::json::parse_error& error) {
    const std::string_view before = text.substr(0, std::min(error.byte, text.size() + 1) - 1);
    const auto lines = std::ranges::count(before, '\n');
    const std::size_t line_start = before.rfind('\n') + 1;  // 0 where there is none
    return fmt::format("line {}, column {}: {}{}", lines + 1, before.size() - line_start + 1,
                       sentence_of(error.what()), hint_for(before, text.substr(before.size())));
  } catch (const nlohmann::json::exception& error) {  // a number too large, say
    return sentence_of(error.what());
  }
}

}  // namespace assay::wire
