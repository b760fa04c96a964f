#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace assay::simt {

/// One row of a line table: code from `address` on comes from `line` of a file.
struct LineRow {
  std::uint64_t address;
  std::uint32_t line;
  bool in_file;  // in the file asked for
  bool ends;     // nothing is known from here on
};

/// Runs the line programs of a .debug_line section (DWARF 2 to 4) and gives their rows by address.
/// `file` is the name, without directory, whose rows get `in_file`.
[[nodiscard]] std::vector<LineRow> read_lines(std::span<const std::uint8_t> section,
                                              std::string_view file);

}  // namespace assay::simt
