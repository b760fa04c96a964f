#include "trace/ncu/elf_view.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace assay::trace {
namespace {

constexpr std::size_t kSectionHeader = 64;
constexpr std::size_t kSymbol = 24;
constexpr std::uint32_t kNoBits = 8;  // takes no room in the file

std::string_view slice_of(std::string_view bytes, std::uint64_t offset, std::uint64_t size) {
  if (offset > bytes.size() || size > bytes.size() - offset) return {};
  return bytes.substr(offset, size);
}

std::string_view text_at(std::string_view table, std::uint64_t offset) {
  if (offset >= table.size()) return {};
  const std::string_view rest = table.substr(offset);
  return rest.substr(0, rest.find('\0'));
}

struct RawSection {
  std::uint32_t name = 0;
  std::uint32_t type = 0;
  std::string_view bytes;
  std::uint32_t link = 0;
  std::uint32_t info = 0;
};

RawSection read_section(std::string_view file, std::string_view header) {
  ByteReader reader(header);
  RawSection out;
  out.name = reader.number<std::uint32_t>();
  out.type = reader.number<std::uint32_t>();
  (void)reader.take(16);  // flags and address
  const auto offset = reader.number<std::uint64_t>();
  const auto size = reader.number<std::uint64_t>();
  out.link = reader.number<std::uint32_t>();
  out.info = reader.number<std::uint32_t>();
  if (out.type != kNoBits) out.bytes = slice_of(file, offset, size);
  return out;
}

std::vector<ElfSymbol> read_symbols(std::string_view table, std::string_view names) {
  std::vector<ElfSymbol> out;
  ByteReader reader(table);
  while (reader.left() >= kSymbol) {
    ElfSymbol symbol;
    symbol.name = text_at(names, reader.number<std::uint32_t>());
    (void)reader.take(2);  // kind and visibility
    symbol.section = reader.number<std::uint16_t>();
    symbol.value = reader.number<std::uint64_t>();
    symbol.size = reader.number<std::uint64_t>();
    out.push_back(symbol);
  }
  return out;
}

}  // namespace

std::string_view ByteReader::text() {
  const std::size_t end = rest_.find('\0');
  if (end == std::string_view::npos) {
    past_end_ = true;
    rest_ = {};
    return {};
  }
  const std::string_view found = rest_.substr(0, end);
  rest_.remove_prefix(end + 1);
  return found;
}

std::uint64_t ByteReader::unsigned_leb128() {
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const auto byte = number<std::uint8_t>();
    if (shift < 64) value |= std::uint64_t{byte & 0x7FU} << shift;
    if ((byte & 0x80U) == 0 || past_end_) return value;
  }
}

std::int64_t ByteReader::signed_leb128() {
  std::uint64_t value = 0;
  for (unsigned shift = 0;;) {
    const auto byte = number<std::uint8_t>();
    if (shift < 64) value |= std::uint64_t{byte & 0x7FU} << shift;
    shift += 7;
    if ((byte & 0x80U) != 0 && !past_end_) continue;
    if ((byte & 0x40U) != 0 && shift < 64) value |= ~std::uint64_t{0} << shift;
    return static_cast<std::int64_t>(value);
  }
}

std::optional<ElfView> ElfView::parse(std::string_view file) {
  constexpr std::string_view kMagic =
      "\x7f"
      "ELF\x02\x01";  // 64 bits, little-endian
  if (!file.starts_with(kMagic) || file.size() < kSectionHeader) return std::nullopt;
  ByteReader header(file.substr(0x28));
  const auto table = header.number<std::uint64_t>();
  (void)header.take(10);
  const auto entry = header.number<std::uint16_t>();
  const auto count = header.number<std::uint16_t>();
  const auto names_at = header.number<std::uint16_t>();
  if (entry < kSectionHeader || names_at >= count) return std::nullopt;
  std::vector<RawSection> raw;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::string_view bytes =
        table > file.size() ? std::string_view() : slice_of(file.substr(table), i * entry, entry);
    if (bytes.empty()) return std::nullopt;
    raw.push_back(read_section(file, bytes));
  }
  ElfView out;
  constexpr std::uint32_t kSymbolTable = 2;
  for (const RawSection& section : raw) {
    out.sections_.push_back({.name = text_at(raw[names_at].bytes, section.name),
                             .bytes = section.bytes,
                             .info = section.info});
    if (section.type == kSymbolTable && section.link < raw.size()) {
      out.symbols_ = read_symbols(section.bytes, raw[section.link].bytes);
    }
  }
  return out;
}

const ElfSection* ElfView::section(std::string_view name) const {
  const auto found = std::ranges::find(sections_, name, &ElfSection::name);
  return found == sections_.end() ? nullptr : &*found;
}

}  // namespace assay::trace
