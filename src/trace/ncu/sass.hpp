#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace assay::trace {

inline constexpr std::size_t kInstructionBytes = 16;

/// What an instruction of 16 bytes does, as NVIDIA calls it, without its operands: "LDG", "FFMA".
/// "opcode 0x1ab" where that is not known; empty for fewer bytes. `capability` is the device's,
/// "9.0".
[[nodiscard]] std::string sass_name(std::string_view instruction, std::string_view capability);

/// Whether it is an HFMA2 whose first factor is the register that is always zero. Compilers load
/// constants with it.
[[nodiscard]] bool is_half_move(std::string_view instruction, std::string_view capability);

}  // namespace assay::trace
