#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace assay::trace {

/// The encodings of protocol buffers that reports use. Groups are not among them.
enum class WireType : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

/// One field of a message. It borrows from the message's bytes. Whoever reads it as another
/// encoding than it has gets zero or nothing, never a wrong value.
struct WireField {
  std::uint32_t number = 0;
  WireType type = WireType::varint;
  std::uint64_t scalar = 0;  // a varint's value, or the bits of a fixed field
  std::string_view payload;  // of a field of bytes

  [[nodiscard]] std::uint64_t integer() const { return type == WireType::bytes ? 0 : scalar; }
  [[nodiscard]] bool flag() const { return integer() != 0; }
  /// The value of a `double` or `float` field.
  [[nodiscard]] double real() const;
  /// The content of a string, bytes or message field.
  [[nodiscard]] std::string_view bytes() const { return payload; }
};

/// Reads the fields of one message in order, never past its end:
/// `while (auto field = reader.next()) …; if (reader.malformed()) …`.
class WireReader {
 public:
  explicit WireReader(std::string_view message) : rest_(message) {}

  /// The next field; nothing at the end, and nothing more once the bytes make no sense.
  [[nodiscard]] std::optional<WireField> next();
  [[nodiscard]] bool malformed() const { return malformed_; }

 private:
  std::optional<WireField> refuse();
  std::optional<std::uint64_t> read_varint();
  std::optional<std::uint64_t> read_fixed(std::size_t size);

  std::string_view rest_;
  bool malformed_ = false;
};

}  // namespace assay::trace
