#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "trace/ncu/rep_reader.hpp"

namespace {

std::string prefixed(std::string_view bytes) {
  std::string out;
  for (unsigned i = 0; i < 4; ++i) out += static_cast<char>((bytes.size() >> (8 * i)) & 0xFFU);
  return out.append(bytes);
}

std::string varint(std::uint64_t value) {
  std::string out;
  for (; value >= 0x80U; value >>= 7U) out += static_cast<char>((value & 0x7FU) | 0x80U);
  return out + static_cast<char>(value);
}

/// A sound container around the input as the first result of a kind, so that the search does not
/// spend its time on lengths.
std::string as_result(std::string_view message, std::uint8_t count_field) {
  const std::string payload = prefixed(message);
  // Fields of the block header: how many results of this kind; a string table with two names; the
  // size of the payload.
  std::string header{static_cast<char>(count_field << 3U), 1};
  header += std::string(
      "\x22\x06\x0A\x01"
      "a\x0A\x01"
      "b",
      8);
  header += '\x28' + varint(payload.size());
  return std::string("NVR\0", 4) + prefixed("\x08\x07") + prefixed(header) + payload;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  constexpr std::uint8_t kCountFields[] = {2, 7, 8, 9};
  const bool whole = data[0] % 5 == 4;
  const auto report = assay::trace::parse_ncu_rep(
      whole ? std::string(bytes) : as_result(bytes, kCountFields[data[0] % 5]));
  if (report) {
    for (const auto& launch : report->launches) (void)launch.number("a");
  }
  return 0;
}
