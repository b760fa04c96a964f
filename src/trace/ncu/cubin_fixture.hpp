#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace assay::trace::testing {

/// An instruction of a made-up kernel: its opcode, and the line it comes from.
struct FixtureInstruction {
  std::uint16_t opcode = 0;
  std::uint8_t file = 1;  // from 1, as DWARF counts
  int line = 1;
};

struct FixtureFunction {
  std::string name;
  std::vector<FixtureInstruction> instructions;
};

/// A cubin as ptxas writes it with -lineinfo: code and line programs that are not yet placed.
/// `files` are names inside the folder /src. Without files there are no lines.
[[nodiscard]] std::string write_cubin(const std::vector<FixtureFunction>& functions,
                                      const std::vector<std::string>& files);

}  // namespace assay::trace::testing
