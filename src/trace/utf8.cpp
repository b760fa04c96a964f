#include "trace/utf8.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/utf8.hpp"

namespace assay::trace {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

std::uint8_t byte_at(std::string_view text, std::size_t i) {
  return static_cast<std::uint8_t>(text[i]);
}

bool is_continuation(std::uint8_t byte) {
  return (byte & 0xC0U) == 0x80U;
}

/// How many bytes a sequence with this first byte has; 0 for a byte that starts none.
std::size_t length_from_lead(std::uint8_t lead) {
  if (lead < 0x80U) return 1;
  if (lead < 0xC2U) return 0;
  if (lead < 0xE0U) return 2;
  if (lead < 0xF0U) return 3;
  return lead < 0xF5U ? 4 : 0;
}

/// Overlong forms, surrogates and values past U+10FFFF show in the range of the second byte.
bool second_byte_fits(std::uint8_t lead, std::uint8_t second) {
  const std::uint8_t low = lead == 0xE0U ? 0xA0U : lead == 0xF0U ? 0x90U : 0x80U;
  const std::uint8_t high = lead == 0xEDU ? 0x9FU : lead == 0xF4U ? 0x8FU : 0xBFU;
  return low <= second && second <= high;
}

/// The length of the well-formed sequence at `i`, 0 where there is none.
std::size_t sequence_length(std::string_view text, std::size_t i) {
  const std::size_t length = length_from_lead(byte_at(text, i));
  if (length <= 1) return length;
  if (i + length > text.size()) return 0;
  if (!second_byte_fits(byte_at(text, i), byte_at(text, i + 1))) return 0;
  for (std::size_t k = 2; k < length; ++k) {
    if (!is_continuation(byte_at(text, i + k))) return 0;
  }
  return length;
}

/// Two surrogates make a character; one alone becomes U+FFFD.
std::string from_utf16(std::string_view bytes, bool big_endian) {
  const auto unit = [&](std::size_t i) {
    const std::uint32_t first = byte_at(bytes, i);
    const std::uint32_t second = byte_at(bytes, i + 1);
    return big_endian ? (first << 8U) | second : (second << 8U) | first;
  };
  std::string out;
  out.reserve(bytes.size() / 2);
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
    std::uint32_t point = unit(i);
    if (point >= 0xD800U && point < 0xE000U) {
      const std::uint32_t low = i + 3 < bytes.size() ? unit(i + 2) : 0;
      const bool pair = point < 0xDC00U && low >= 0xDC00U && low < 0xE000U;
      point = pair ? 0x10000U + ((point - 0xD800U) << 10U) + (low - 0xDC00U) : kReplacedCharacter;
      if (pair) i += 2;
    }
    append_code_point(point, out);
  }
  return out;
}

}  // namespace

std::string without_byte_order_mark(std::string bytes) {
  const std::string_view text = bytes;
  if (text.starts_with("\xFF\xFE")) return from_utf16(text.substr(2), /*big_endian=*/false);
  if (text.starts_with("\xFE\xFF")) return from_utf16(text.substr(2), /*big_endian=*/true);
  if (text.starts_with("\xEF\xBB\xBF")) bytes.erase(0, 3);
  return bytes;
}

std::string to_valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = sequence_length(text, i);
    out += length == 0 ? kReplacement : text.substr(i, length);
    i += std::max<std::size_t>(length, 1);
  }
  return out;
}

std::string to_one_line(std::string_view text) {
  std::string out = to_valid_utf8(text);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::uint8_t byte = byte_at(out, i);
    if (byte < 0x20U || byte == 0x7FU) out[i] = '?';
    // C1 controls (U+0080..U+009F), which some terminals obey.
    if (byte == 0xC2U && i + 1 < out.size() && byte_at(out, i + 1) < 0xA0U) {
      out.replace(i, 2, "?");
    }
  }
  return out;
}

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return !is_continuation(static_cast<std::uint8_t>(c)); }));
}

std::string shorten_middle(std::string_view text, std::size_t width) {
  const std::size_t length = display_width(text);
  if (length <= width) return std::string(text);
  if (width == 0) return "";
  const std::size_t tail = (width - 1) / 2;
  const std::size_t head = width - 1 - tail;
  std::string out;
  std::size_t point = 0;  // index of the current code point, plus one
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!is_continuation(byte_at(text, i))) ++point;
    if (point == head + 1 && !is_continuation(byte_at(text, i))) out += "…";
    if (point <= head || point > length - tail) out += text[i];
  }
  return out;
}

std::string wrap_words(std::string_view text, std::string_view indent, std::size_t width) {
  std::string out;
  std::size_t column = 0;  // 0: at the start of a line
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (word.empty()) continue;
    const std::size_t length = display_width(word);
    if (column > 0 && column + 1 + length > width) {
      out += '\n';
      column = 0;
    }
    if (column == 0) {
      out += indent;
      column = display_width(indent);
    } else {
      out += ' ';
      ++column;
    }
    out += word;
    column += length;
  }
  if (column > 0) out += '\n';
  return out;
}

}  // namespace assay::trace
