#include "device/cubin.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <elf.h>

#include "base/error.hpp"
#include "base/result.hpp"

namespace assay::device {
namespace {

constexpr std::size_t kMostSections = 65536;
constexpr unsigned char kCudaEntry = 0x10;  // STO_CUDA_ENTRY
constexpr std::string_view kSignature = "assay_signature";
constexpr std::uint64_t kMostParameters = 1024;

/// The part of `bytes`, or nothing where it is not wholly inside.
std::string_view part(std::string_view bytes, std::uint64_t offset, std::uint64_t size) {
  if (offset > bytes.size() || size > bytes.size() - offset) return {};
  return bytes.substr(offset, size);
}

template <class Record>
std::optional<Record> record_at(std::string_view bytes, std::uint64_t offset) {
  const std::string_view raw = part(bytes, offset, sizeof(Record));
  if (raw.empty()) return std::nullopt;
  Record record;
  std::memcpy(&record, raw.data(), raw.size());
  return record;
}

std::string_view text_at(std::string_view table, std::uint64_t offset) {
  if (offset >= table.size()) return {};
  const std::string_view rest = table.substr(offset);
  return rest.substr(0, rest.find('\0'));
}

}  // namespace

Result<Cubin> Cubin::open(std::string_view bytes) {
  const auto header = record_at<Elf64_Ehdr>(bytes, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_machine != EM_CUDA ||
      header->e_shentsize != sizeof(Elf64_Shdr)) {
    return fail(ErrorCode::invalid_argument, "this is no GPU machine code");
  }
  Cubin cubin;
  for (std::size_t i = 0; i < header->e_shnum && i < kMostSections; ++i) {
    const auto section = record_at<Elf64_Shdr>(bytes, header->e_shoff + i * sizeof(Elf64_Shdr));
    if (!section) return fail(ErrorCode::invalid_argument, "the machine code is cut off");
    const bool stored = section->sh_type != SHT_NOBITS;
    cubin.sections_.push_back(
        {.type = section->sh_type,
         .link = section->sh_link,
         .content = stored ? part(bytes, section->sh_offset, section->sh_size) : ""});
  }
  return cubin;
}

std::vector<Cubin::SymbolEntry> Cubin::symbols() const {
  std::vector<SymbolEntry> found;
  for (const Section& section : sections_) {
    if (section.type != SHT_SYMTAB || section.link >= sections_.size()) continue;
    const std::string_view names = sections_[section.link].content;
    for (std::size_t at = 0; at < section.content.size(); at += sizeof(Elf64_Sym)) {
      const auto symbol = record_at<Elf64_Sym>(section.content, at);
      if (!symbol) break;
      found.push_back({.name = text_at(names, symbol->st_name),
                       .info = symbol->st_info,
                       .other = symbol->st_other,
                       .section = symbol->st_shndx,
                       .value = symbol->st_value,
                       .size = symbol->st_size});
    }
  }
  return found;
}

std::vector<std::string> Cubin::entries() const {
  std::vector<std::string> names;
  for (const SymbolEntry& symbol : symbols()) {
    const bool is_function = ELF64_ST_TYPE(symbol.info) == STT_FUNC;
    if (is_function && (symbol.other & kCudaEntry) != 0) names.emplace_back(symbol.name);
  }
  return names;
}

std::optional<std::string_view> Cubin::variable(std::string_view name) const {
  for (const SymbolEntry& symbol : symbols()) {
    if (symbol.name != name || symbol.section >= sections_.size()) continue;
    const std::string_view content =
        part(sections_[symbol.section].content, symbol.value, symbol.size);
    if (!content.empty()) return content;
  }
  return std::nullopt;
}

std::optional<std::vector<CubinParameter>> Cubin::signature() const {
  const auto table = variable(kSignature);
  if (!table) return std::nullopt;
  const auto count = record_at<std::uint64_t>(*table, 0);
  if (!count || *count > kMostParameters) return std::nullopt;
  std::vector<CubinParameter> parameters;
  for (std::uint64_t i = 1; i <= *count; ++i) {
    const auto entry = record_at<std::uint64_t>(*table, i * sizeof(std::uint64_t));
    if (!entry) return std::nullopt;
    parameters.push_back({.kind = static_cast<std::uint32_t>(*entry & 0xffU),
                          .size = static_cast<std::uint32_t>(*entry >> 8U)});
  }
  return parameters;
}

}  // namespace assay::device
