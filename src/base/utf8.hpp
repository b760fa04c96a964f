#pragma once

#include <cstdint>
#include <string>

namespace assay {

/// Stands for what is no character.
inline constexpr std::uint32_t kReplacedCharacter = 0xFFFD;

/// In UTF-8. `point` is that of a character: no surrogate, and not beyond U+10FFFF.
inline void append_code_point(std::uint32_t point, std::string& out) {
  const auto put = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (point < 0x80U) {
    put(point);
  } else if (point < 0x800U) {
    put(0xC0U | (point >> 6U));
    put(0x80U | (point & 0x3FU));
  } else if (point < 0x10000U) {
    put(0xE0U | (point >> 12U));
    put(0x80U | ((point >> 6U) & 0x3FU));
    put(0x80U | (point & 0x3FU));
  } else {
    put(0xF0U | (point >> 18U));
    put(0x80U | ((point >> 12U) & 0x3FU));
    put(0x80U | ((point >> 6U) & 0x3FU));
    put(0x80U | (point & 0x3FU));
  }
}

}  // namespace assay
