#include "device/cubin.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <elf.h>
#include <gtest/gtest.h>

#include "base/error.hpp"

namespace assay::device {
namespace {

template <class Record>
void append(std::string& bytes, const Record& record) {
  bytes.append(reinterpret_cast<const char*>(&record), sizeof record);
}

/// One kernel `k`, one other function, and the signature (float*, int).
std::string small_cubin() {
  std::string data;
  for (const std::uint64_t word : {2UL, 0UL | 8UL << 8U, 1UL | 4UL << 8U, 0UL}) append(data, word);
  const std::string names("\0k\0helper\0assay_signature\0", 26);
  std::string symbols;
  append(symbols,
         Elf64_Sym{.st_name = 1, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), .st_other = 0x10});
  append(symbols, Elf64_Sym{.st_name = 3, .st_info = ELF64_ST_INFO(STB_LOCAL, STT_FUNC)});
  append(symbols, Elf64_Sym{.st_name = 10,
                            .st_info = ELF64_ST_INFO(STB_LOCAL, STT_OBJECT),
                            .st_shndx = 1,
                            .st_size = data.size()});
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_machine = EM_CUDA;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 4;
  const std::size_t start = sizeof header;
  header.e_shoff = start + data.size() + names.size() + symbols.size();
  std::string bytes;
  append(bytes, header);
  bytes += data + names + symbols;
  append(bytes, Elf64_Shdr{});
  append(bytes, Elf64_Shdr{.sh_type = SHT_PROGBITS, .sh_offset = start, .sh_size = data.size()});
  append(
      bytes,
      Elf64_Shdr{.sh_type = SHT_STRTAB, .sh_offset = start + data.size(), .sh_size = names.size()});
  append(bytes, Elf64_Shdr{.sh_type = SHT_SYMTAB,
                           .sh_offset = start + data.size() + names.size(),
                           .sh_size = symbols.size(),
                           .sh_link = 2});
  return bytes;
}

TEST(Cubin, lists_kernels_and_no_other_functions) {
  const std::string bytes = small_cubin();
  EXPECT_EQ(Cubin::open(bytes).value().entries(), std::vector<std::string>{"k"});
}

TEST(Cubin, signature_gives_kind_and_size_of_every_parameter) {
  const std::string bytes = small_cubin();
  const auto parameters = Cubin::open(bytes).value().signature();
  ASSERT_TRUE(parameters);
  ASSERT_EQ(parameters->size(), 2U);
  EXPECT_EQ((*parameters)[0].kind, 0U);
  EXPECT_EQ((*parameters)[0].size, 8U);
  EXPECT_EQ((*parameters)[1].kind, 1U);
  EXPECT_EQ((*parameters)[1].size, 4U);
}

TEST(Cubin, what_is_no_cubin_is_refused) {
  EXPECT_EQ(Cubin::open("not an ELF file").error().code(), ErrorCode::invalid_argument);
  EXPECT_EQ(Cubin::open("").error().code(), ErrorCode::invalid_argument);
}

TEST(Cubin, damaged_cubins_are_read_without_leaving_their_bytes) {
  const std::string whole = small_cubin();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::string cut = whole.substr(0, size);
    if (const auto cubin = Cubin::open(cut)) (void)cubin->signature();
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string spoiled = whole;
    spoiled[at] = '\xff';
    const auto cubin = Cubin::open(spoiled);
    if (!cubin) continue;
    (void)cubin->entries();
    (void)cubin->signature();
  }
}

}  // namespace
}  // namespace assay::device
