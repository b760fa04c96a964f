#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

namespace assay::trace {

/// Reads little-endian numbers, never past the end: beyond it, it reads 0 and says so.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  template <class T>
    requires std::is_unsigned_v<T>
  T number() {
    std::uint64_t value = 0;
    const std::string_view raw = take(sizeof(T));
    for (std::size_t i = 0; i < raw.size(); ++i) {
      value |= std::uint64_t{static_cast<unsigned char>(raw[i])} << (8 * i);
    }
    return static_cast<T>(value);
  }
  std::string_view take(std::size_t size) {
    if (size > rest_.size()) {
      past_end_ = true;
      rest_ = {};
      return {};
    }
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }
  /// Up to the next zero byte, which is taken too.
  std::string_view text();
  std::uint64_t unsigned_leb128();
  std::int64_t signed_leb128();

  [[nodiscard]] std::size_t left() const { return rest_.size(); }
  [[nodiscard]] bool past_end() const { return past_end_; }

 private:
  std::string_view rest_;
  bool past_end_ = false;
};

struct ElfSection {
  std::string_view name;
  std::string_view bytes;
  std::uint32_t info = 0;
};

struct ElfSymbol {
  std::string_view name;
  std::uint16_t section = 0;
  std::uint64_t value = 0;
  std::uint64_t size = 0;
};

/// Sections and symbols of a 64-bit little-endian ELF file; it borrows from the file's bytes.
class ElfView {
 public:
  [[nodiscard]] static std::optional<ElfView> parse(std::string_view file);

  [[nodiscard]] const ElfSection* section(std::string_view name) const;
  [[nodiscard]] const std::vector<ElfSection>& sections() const { return sections_; }
  [[nodiscard]] const std::vector<ElfSymbol>& symbols() const { return symbols_; }

 private:
  std::vector<ElfSection> sections_;
  std::vector<ElfSymbol> symbols_;
};

}  // namespace assay::trace
