#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace assay::trace {

/// Where a sequence of a line program begins: a section of the ELF file, and an offset in it.
struct LineTarget {
  std::uint16_t section = 0;
  std::uint64_t offset = 0;
};

struct LineRow {
  LineTarget at;
  std::uint32_t file = 0;  // into LineProgram::files
  std::uint64_t line = 0;
  bool ends = false;  // of the sequence: there is nothing at `at` any more
};

struct LineProgram {
  std::vector<std::string> files;  // with their folders
  std::vector<LineRow> rows;       // in the program's order
};

/// Reads `.debug_line` (DWARF 2 to 4, which is what ptxas writes). A cubin is not yet placed, so an
/// address in it is 0. `placed` tells for each place in the section what the address belongs to.
/// Damage ends the reading.
[[nodiscard]] LineProgram read_line_program(std::string_view debug_line,
                                            const std::map<std::uint64_t, LineTarget>& placed);

}  // namespace assay::trace
