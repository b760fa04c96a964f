#include "base/printable.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace assay {
namespace {

bool is_space(char c) {
  return c == '\n' || c == '\t';
}

/// Whether one of U+0080 to U+009F begins here, which some terminals obey.
bool is_late_control(std::string_view text, std::size_t at) {
  return text[at] == '\xc2' && at + 1 < text.size() && text[at + 1] >= '\x80' &&
         text[at + 1] < '\xa0';
}

}  // namespace

std::string printable(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool is_late = is_late_control(text, i);
    const bool is_control = (byte < 0x20 && !is_space(text[i])) || byte == 0x7f || is_late;
    shown += is_control ? '?' : text[i];
    if (is_late) ++i;
  }
  return shown;
}

std::string printable_line(std::string_view text) {
  std::string line = printable(text);
  std::ranges::replace_if(line, is_space, ' ');
  return line;
}

}  // namespace assay
