#include "tracer/wide_text.hpp"

#include <cstdint>
#include <string>

#include "base/utf8.hpp"

namespace assay::tracer {

std::string to_utf8(const wchar_t* text) {
  constexpr std::uint32_t kLast = 0x10FFFF;
  std::string out;
  for (; *text != L'\0'; ++text) {
    auto c = static_cast<std::uint32_t>(static_cast<char32_t>(*text));
    if (c > kLast || (c >= 0xD800 && c < 0xE000)) c = kReplacedCharacter;
    append_code_point(c, out);
  }
  return out;
}

}  // namespace assay::tracer
