#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <elf.h>

namespace assay::simt {

/// A shared object mapped from its file, to read what the loader did not map.
class ElfFile {
 public:
  explicit ElfFile(const char* path);
  ElfFile(const ElfFile&) = delete;
  ElfFile& operator=(const ElfFile&) = delete;
  ~ElfFile();

  /// Empty where there is no such section, or it is compressed.
  [[nodiscard]] std::span<const std::uint8_t> section(std::string_view name) const;
  [[nodiscard]] std::span<const Elf64_Sym> symbols() const;
  [[nodiscard]] const char* symbol_name(const Elf64_Sym& symbol) const;

 private:
  [[nodiscard]] std::span<const Elf64_Shdr> headers() const;

  const std::uint8_t* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace assay::simt
