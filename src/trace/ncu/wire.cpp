#include "trace/ncu/wire.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace assay::trace {

double WireField::real() const {
  if (type == WireType::fixed64) return std::bit_cast<double>(scalar);
  if (type == WireType::fixed32) {
    return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(scalar)));
  }
  return 0;
}

std::optional<WireField> WireReader::next() {
  if (rest_.empty() || malformed_) return std::nullopt;
  const auto key = read_varint();
  if (!key || (*key >> 3U) == 0 || (*key >> 3U) > 0x1FFFFFFFU) return refuse();
  WireField field{.number = static_cast<std::uint32_t>(*key >> 3U),
                  .type = static_cast<WireType>(*key & 7U)};
  std::optional<std::uint64_t> scalar;
  switch (field.type) {
    case WireType::varint:
    case WireType::bytes:
      scalar = read_varint();
      break;
    case WireType::fixed64:
      scalar = read_fixed(8);
      break;
    case WireType::fixed32:
      scalar = read_fixed(4);
      break;
  }
  if (!scalar) return refuse();
  field.scalar = *scalar;
  if (field.type == WireType::bytes) {
    if (*scalar > rest_.size()) return refuse();
    field.payload = rest_.substr(0, *scalar);
    rest_.remove_prefix(*scalar);
  }
  return field;
}

std::optional<WireField> WireReader::refuse() {
  malformed_ = true;
  return std::nullopt;
}

std::optional<std::uint64_t> WireReader::read_varint() {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < 10 && i < rest_.size(); ++i) {
    const auto byte = static_cast<std::uint8_t>(rest_[i]);
    // The tenth byte holds bit 63 alone; more would be lost.
    if (i == 9 && byte > 1) return std::nullopt;
    value |= static_cast<std::uint64_t>(byte & 0x7FU) << (7 * i);
    if (byte < 0x80U) {
      rest_.remove_prefix(i + 1);
      return value;
    }
  }
  return std::nullopt;
}

std::optional<std::uint64_t> WireReader::read_fixed(std::size_t size) {
  if (rest_.size() < size) return std::nullopt;
  std::uint64_t value = 0;  // little endian
  for (std::size_t i = 0; i < size; ++i) {
    value |= static_cast<std::uint64_t>(static_cast<std::uint8_t>(rest_[i])) << (8 * i);
  }
  rest_.remove_prefix(size);
  return value;
}

}  // namespace assay::trace
