#include "elf_file.hpp"

#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace assay::simt {

ElfFile::ElfFile(const char* path) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  struct stat status;
  if (fstat(fd, &status) == 0 && status.st_size > static_cast<off_t>(sizeof(Elf64_Ehdr))) {
    bytes_ = static_cast<std::size_t>(status.st_size);
    void* memory = mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, fd, 0);
    if (memory != MAP_FAILED) data_ = static_cast<const std::uint8_t*>(memory);
  }
  close(fd);
}

ElfFile::~ElfFile() {
  if (data_ != nullptr) munmap(const_cast<std::uint8_t*>(data_), bytes_);
}

std::span<const Elf64_Shdr> ElfFile::headers() const {
  if (data_ == nullptr || std::memcmp(data_, ELFMAG, SELFMAG) != 0) return {};
  const auto* file = reinterpret_cast<const Elf64_Ehdr*>(data_);
  const std::size_t end = file->e_shoff + std::size_t{file->e_shnum} * sizeof(Elf64_Shdr);
  if (file->e_shentsize != sizeof(Elf64_Shdr) || end > bytes_) return {};
  return {reinterpret_cast<const Elf64_Shdr*>(data_ + file->e_shoff), file->e_shnum};
}

std::span<const std::uint8_t> ElfFile::section(std::string_view name) const {
  const auto all = headers();
  if (all.empty()) return {};
  const auto* file = reinterpret_cast<const Elf64_Ehdr*>(data_);
  if (file->e_shstrndx >= all.size()) return {};
  const Elf64_Shdr& names = all[file->e_shstrndx];
  for (const Elf64_Shdr& header : all) {
    const std::size_t at = names.sh_offset + header.sh_name;
    if (at + name.size() >= bytes_ || header.sh_offset + header.sh_size > bytes_) continue;
    const bool same = name == reinterpret_cast<const char*>(data_ + at);
    const bool readable = header.sh_type != SHT_NOBITS && (header.sh_flags & SHF_COMPRESSED) == 0;
    if (same && readable) return {data_ + header.sh_offset, header.sh_size};
  }
  return {};
}

std::span<const Elf64_Sym> ElfFile::symbols() const {
  const auto table = section(".symtab");
  return {reinterpret_cast<const Elf64_Sym*>(table.data()), table.size() / sizeof(Elf64_Sym)};
}

const char* ElfFile::symbol_name(const Elf64_Sym& symbol) const {
  const auto names = section(".strtab");
  return symbol.st_name < names.size()
             ? reinterpret_cast<const char*>(names.data()) + symbol.st_name
             : "";
}

}  // namespace assay::simt
