#pragma once

#include <cstdint>
#include <string>

namespace assay::simt {

/// The line of `file` that the code at `address` comes from. It is read from the debug information
/// of the shared object that holds the code. Code of our headers counts as the line that called it.
/// 0: not known.
[[nodiscard]] std::uint32_t line_of(const void* address, const char* file);

/// The variable at `address` in a shared object, demangled; empty: not known. `base` and `bytes`
/// get where it lies.
[[nodiscard]] std::string variable_at(const void* address, const char*& base, std::size_t& bytes);

}  // namespace assay::simt
