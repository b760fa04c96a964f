#include "trace/ncu/cubin_fixture.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace assay::trace::testing {
namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;

constexpr std::size_t kInstruction = 16;

std::string number(std::uint64_t value, int size) {
  std::string out;
  for (int i = 0; i < size; ++i) {
    out += static_cast<char>(i < 8 ? (value >> (8 * i)) & 0xFFU : 0);
  }
  return out;
}

std::string leb128(std::int64_t value) {
  std::string out;
  while (true) {
    const auto byte = static_cast<unsigned>(value & 0x7F);
    value >>= 7;
    const bool done = (value == 0 && (byte & 0x40U) == 0) || (value == -1 && (byte & 0x40U) != 0);
    out += static_cast<char>(done ? byte : byte | 0x80U);
    if (done) return out;
  }
}

/// Names end to end, each found again by its place.
class Names {
 public:
  std::uint64_t add(std::string_view name) {
    const std::size_t at = text_.size();
    text_.append(name).push_back('\0');
    return at;
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_ = std::string(1, '\0');
};

struct Section {
  std::uint64_t name = 0;
  std::uint32_t type = 1;
  std::string bytes;
  std::uint32_t link = 0;
};

/// One line program for all functions, and where in it their addresses stand.
struct Lines {
  std::string bytes;
  std::vector<std::size_t> addresses;
};

Lines line_program(const std::vector<FixtureFunction>& functions,
                   const std::vector<std::string>& files) {
  std::string header =
      number(1, 1) + number(1, 1) + number(0xFB, 1) + number(14, 1) + number(10, 1);
  header += "\0\1\1\1\1\0\0\0\1"sv;  // operands of the standard opcodes
  header += "/src\0\0"sv;
  for (const std::string& file : files) header += file + "\0\1\0\0"s;
  header += '\0';
  std::string body = number(2, 2) + number(header.size(), 4) + header;
  Lines out;
  for (const FixtureFunction& function : functions) {
    body += "\0\x09\x02"sv;
    out.addresses.push_back(4 + body.size());
    body += number(0, 8);
    std::int64_t line = 1;
    std::uint8_t file = 1;
    for (const FixtureInstruction& one : function.instructions) {
      if (one.file != file) body += "\4"s + static_cast<char>(file = one.file);
      body += "\3"s + leb128(one.line - line) + "\1"s;  // the line, and a row
      line = one.line;
      body += "\2\x10"sv;  // the next instruction
    }
    body += "\x00\x05\x90\x01\x02\x03\x04"sv;  // a mark that only NVIDIA knows
    body += "\0\1\1"sv;
  }
  out.bytes = number(body.size(), 4) + body;
  return out;
}

std::string code_of(const FixtureFunction& function) {
  std::string out;
  for (const FixtureInstruction& one : function.instructions) {
    out += number(0x7000U | one.opcode, 8) + std::string(kInstruction - 8, '\0');
  }
  return out;
}

std::string symbol(std::uint64_t name, std::uint16_t section, std::uint64_t size) {
  return number(name, 4) + number(0x12, 1) + number(0x10, 1) + number(section, 2) + number(0, 8) +
         number(size, 8);
}

}  // namespace

std::string write_cubin(const std::vector<FixtureFunction>& functions,
                        const std::vector<std::string>& files) {
  Names section_names;
  Names symbol_names;
  std::vector<Section> sections(1);
  std::string symbols(24, '\0');
  for (const FixtureFunction& function : functions) {
    const std::string code = code_of(function);
    symbols += symbol(symbol_names.add(function.name), static_cast<std::uint16_t>(sections.size()),
                      code.size());
    sections.push_back({.name = section_names.add(".text." + function.name), .bytes = code});
  }
  if (!files.empty()) {
    const Lines lines = line_program(functions, files);
    std::string places;
    for (std::size_t i = 0; i < lines.addresses.size(); ++i) {
      places += number(lines.addresses[i], 8) + number(((i + 1) << 32U) | 2U, 8) + number(0, 8);
    }
    sections.push_back({.name = section_names.add(".debug_line"), .bytes = lines.bytes});
    sections.push_back({.name = section_names.add(".rela.debug_line"), .type = 4, .bytes = places});
  }
  const auto strings_at = static_cast<std::uint32_t>(sections.size());
  sections.push_back(
      {.name = section_names.add(".strtab"), .type = 3, .bytes = symbol_names.text()});
  sections.push_back(
      {.name = section_names.add(".symtab"), .type = 2, .bytes = symbols, .link = strings_at});
  const std::uint64_t own_name = section_names.add(".shstrtab");
  sections.push_back({.name = own_name, .type = 3, .bytes = section_names.text()});

  std::string body;
  std::string headers;
  for (const Section& section : sections) {
    headers += number(section.name, 4) + number(section.type, 4) + number(0, 16) +
               number(64 + body.size(), 8) + number(section.bytes.size(), 8) +
               number(section.link, 4) + number(0, 20);
    body += section.bytes;
  }
  std::string file =
      "\x7f"
      "ELF\x02\x01\x01"s +
      std::string(9, '\0') + number(2, 2) + number(190, 2) + number(1, 4) + number(0, 16) +
      number(64 + body.size(), 8) + number(0, 4) + number(64, 2) + number(0, 4) + number(64, 2) +
      number(sections.size(), 2) + number(sections.size() - 1, 2);
  return file + body + headers;
}

}  // namespace assay::trace::testing
