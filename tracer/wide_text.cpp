#include "tracer/wide_text.hpp"

#include <cstdint>
#include <string>

namespace assay::tracer {

std::string to_utf8(const wchar_t* text) {
  constexpr std::uint32_t kNone = 0xFFFD;
  constexpr std::uint32_t kLast = 0x10FFFF;
  std::string out;
  const auto add = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
  for (; *text != L'\0'; ++text) {
    auto c = static_cast<std::uint32_t>(static_cast<char32_t>(*text));
    if (c > kLast || (c >= 0xD800 && c < 0xE000)) c = kNone;
    if (c < 0x80) {
      add(c);
    } else if (c < 0x800) {
      add(0xC0U | (c >> 6U));
      add(0x80U | (c & 0x3FU));
    } else if (c < 0x10000) {
      add(0xE0U | (c >> 12U));
      add(0x80U | ((c >> 6U) & 0x3FU));
      add(0x80U | (c & 0x3FU));
    } else {
      add(0xF0U | (c >> 18U));
      add(0x80U | ((c >> 12U) & 0x3FU));
      add(0x80U | ((c >> 6U) & 0x3FU));
      add(0x80U | (c & 0x3FU));
    }
  }
  return out;
}

}  // namespace assay::tracer
