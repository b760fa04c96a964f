#include "compile/diagnostics.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>

namespace assay::compile {
namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    text.replace(at, from.size(), to);
    at += to.size();
  }
}

/// Which first bytes of a longer sequence allow which second ones (Unicode, table 3-7).
struct Lead {
  unsigned char first;
  unsigned char last;
  unsigned char second_least;
  unsigned char second_most;
  std::size_t length;
};
constexpr std::array kLeads = {
    Lead{.first = 0xC2, .last = 0xDF, .second_least = 0x80, .second_most = 0xBF, .length = 2},
    Lead{.first = 0xE0, .last = 0xE0, .second_least = 0xA0, .second_most = 0xBF, .length = 3},
    Lead{.first = 0xE1, .last = 0xEC, .second_least = 0x80, .second_most = 0xBF, .length = 3},
    Lead{.first = 0xED, .last = 0xED, .second_least = 0x80, .second_most = 0x9F, .length = 3},
    Lead{.first = 0xEE, .last = 0xEF, .second_least = 0x80, .second_most = 0xBF, .length = 3},
    Lead{.first = 0xF0, .last = 0xF0, .second_least = 0x90, .second_most = 0xBF, .length = 4},
    Lead{.first = 0xF1, .last = 0xF3, .second_least = 0x80, .second_most = 0xBF, .length = 4},
    Lead{.first = 0xF4, .last = 0xF4, .second_least = 0x80, .second_most = 0x8F, .length = 4},
};

/// Length of the well-formed UTF-8 sequence at the start of `text`, or 0.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return 1;
  for (const Lead& lead : kLeads) {
    if (byte(0) < lead.first || byte(0) > lead.last) continue;
    if (lead.length > text.size() || byte(1) < lead.second_least || byte(1) > lead.second_most) {
      return 0;
    }
    const std::string_view rest = text.substr(2, lead.length - 2);
    const bool whole = std::ranges::all_of(rest, [](char c) { return (c & 0xC0) == 0x80; });
    return whole ? lead.length : 0;
  }
  return 0;
}

}  // namespace

std::string clean_diagnostics(std::string_view raw, const PathNames& names) {
  std::string text;
  text.reserve(raw.size());
  while (!raw.empty()) {
    const std::size_t length = sequence_length(raw);
    const bool control = raw[0] >= 0 && raw[0] < ' ' && raw[0] != '\n' && raw[0] != '\t';
    if (length == 0 || control) {
      text += '?';
      raw.remove_prefix(1);
    } else {
      text += raw.substr(0, length);
      raw.remove_prefix(length);
    }
  }
  for (const auto& [path, name] : names) replace_all(text, path, name);
  return text;
}

std::string undefined_references(std::string_view raw) {
  constexpr std::string_view kMark = "undefined reference to ";
  std::set<std::string_view> references;
  for (std::size_t at = raw.find(kMark); at != raw.npos; at = raw.find(kMark, at + 1)) {
    references.insert(raw.substr(at, std::min(raw.find('\n', at), raw.size()) - at));
  }
  std::string lines;
  for (const std::string_view reference : references) {
    lines += "error: " + std::string(reference) + "\n";
  }
  return lines;
}

}  // namespace assay::compile
