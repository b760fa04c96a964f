#include "trace/ncu/cubin.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/ncu/elf_view.hpp"
#include "trace/ncu/line_program.hpp"

namespace assay::trace {
namespace {

/// What the addresses in `.debug_line` will be once the code is placed.
std::map<std::uint64_t, LineTarget> placed_addresses(const ElfView& elf) {
  std::map<std::uint64_t, LineTarget> out;
  constexpr std::size_t kRelocation = 24;  // with an addend
  const ElfSection* section = elf.section(".rela.debug_line");
  const bool with_addend = section != nullptr;
  if (!with_addend) section = elf.section(".rel.debug_line");
  if (section == nullptr) return out;
  ByteReader reader(section->bytes);
  while (reader.left() >= (with_addend ? kRelocation : kRelocation - 8)) {
    const auto where = reader.number<std::uint64_t>();
    const std::uint64_t symbol = reader.number<std::uint64_t>() >> 32U;
    const std::uint64_t addend = with_addend ? reader.number<std::uint64_t>() : 0;
    if (symbol >= elf.symbols().size()) continue;
    const ElfSymbol& target = elf.symbols()[symbol];
    out[where] = {.section = target.section, .offset = target.value + addend};
  }
  return out;
}

/// The rows of one function, by offset.
std::vector<LineMark> marks_of(const LineProgram& program, const ElfSymbol& function) {
  std::vector<LineMark> marks;
  for (const LineRow& row : program.rows) {
    const bool inside = row.at.section == function.section && row.at.offset >= function.value &&
                        row.at.offset < function.value + function.size;
    if (!inside || row.ends) continue;
    marks.push_back({.offset = row.at.offset - function.value, .file = row.file, .line = row.line});
  }
  std::ranges::stable_sort(marks, {}, &LineMark::offset);
  return marks;
}

}  // namespace

const LineMark* CubinFunction::line_at(std::uint64_t offset) const {
  const auto after = std::ranges::upper_bound(lines, offset, {}, &LineMark::offset);
  return after == lines.begin() ? nullptr : &*(after - 1);
}

std::optional<CubinFunction> find_cubin_function(std::string_view cubin, std::string_view name) {
  const auto elf = ElfView::parse(cubin);
  if (!elf || name.empty()) return std::nullopt;
  for (const ElfSymbol& symbol : elf->symbols()) {
    if (symbol.name != name || symbol.section >= elf->sections().size()) continue;
    const std::string_view text = elf->sections()[symbol.section].bytes;
    if (symbol.size == 0 || symbol.value > text.size() ||
        symbol.size > text.size() - symbol.value) {
      continue;
    }
    CubinFunction out{.code = std::string(text.substr(symbol.value, symbol.size))};
    if (const ElfSection* lines = elf->section(".debug_line")) {
      LineProgram program = read_line_program(lines->bytes, placed_addresses(*elf));
      out.lines = marks_of(program, symbol);
      out.files = std::move(program.files);
    }
    return out;
  }
  return std::nullopt;
}

}  // namespace assay::trace
