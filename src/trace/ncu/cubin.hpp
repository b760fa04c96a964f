#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::trace {

/// An instruction at `offset` and those after it, up to the next mark, come from this line.
struct LineMark {
  std::uint64_t offset = 0;  // from the beginning of the function
  std::uint32_t file = 0;    // into CubinFunction::files
  std::uint64_t line = 0;
};

/// The machine code of one kernel and the lines that it was compiled from.
struct CubinFunction {
  std::string code;  // 16 bytes an instruction
  std::vector<std::string> files;
  std::vector<LineMark> lines;  // by offset; empty: compiled without -lineinfo

  /// Where the instruction at `offset` comes from; null where that is not known.
  [[nodiscard]] const LineMark* line_at(std::uint64_t offset) const;
};

/// Finds a function in a cubin, which is an ELF file, by its mangled name. Nothing where it is not
/// there or the bytes make no sense: a report may hold anything.
[[nodiscard]] std::optional<CubinFunction> find_cubin_function(std::string_view cubin,
                                                               std::string_view name);

}  // namespace assay::trace
