#include "wire/base64.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/core.h>
#include <zlib.h>

#include "base/error.hpp"
#include "base/result.hpp"

namespace assay::wire {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<std::int8_t, 256> make_reverse() {
  std::array<std::int8_t, 256> reverse{};
  reverse.fill(-1);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    reverse[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::int8_t>(i);
  }
  return reverse;
}

constexpr std::array<std::int8_t, 256> kReverse = make_reverse();

}  // namespace

Result<std::string> decode_base64(std::string_view text) {
  if (text.size() % 4 != 0) {
    return fail(ErrorCode::invalid_argument, "base64 comes in groups of four characters");
  }
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  const std::string_view digits = text.substr(0, text.size() - padding);
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  std::uint32_t bits = 0;
  int have = 0;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const std::int8_t value = kReverse[static_cast<unsigned char>(digits[i])];
    if (value < 0) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("character {} of the text is not base64", i));
    }
    bits = (bits << 6U) | static_cast<std::uint32_t>(value);
    have += 6;
    if (have >= 8) {
      have -= 8;
      bytes += static_cast<char>((bits >> static_cast<unsigned>(have)) & 0xFFU);
    }
  }
  return bytes;
}

std::string encode_base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::string_view group = bytes.substr(i, 3);
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto byte = k < group.size() ? static_cast<unsigned char>(group[k]) : 0U;
      bits = (bits << 8U) | byte;
    }
    for (std::size_t k = 0; k < 4; ++k) {
      text += k > group.size() ? '=' : kAlphabet[(bits >> (18U - 6U * k)) & 0x3FU];
    }
  }
  return text;
}

Result<std::string> inflate_zlib(std::string_view stream, std::size_t size) {
  std::string bytes(size + 1, '\0');  // one spare byte shows a stream that is too long
  uLongf written = bytes.size();
  const int status = ::uncompress(reinterpret_cast<Bytef*>(bytes.data()), &written,
                                  reinterpret_cast<const Bytef*>(stream.data()), stream.size());
  if (status == Z_BUF_ERROR && written == bytes.size()) written = size + 1;
  if (status != Z_OK && written <= size) {
    return fail(ErrorCode::invalid_argument, "the data is not a whole zlib stream");
  }
  if (written != size) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("the zlib stream holds {} bytes, the shape and dtype need {}",
                            written > size ? "more" : std::to_string(written), size));
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace assay::wire
