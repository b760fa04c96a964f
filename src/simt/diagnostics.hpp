#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace assay::simt {

/// A source as submitted, and what translate() was told to call it.
struct NamedSource {
  std::string_view name;
  std::string_view text;
};

/// The compiler's output as its reader needs it: errors, warnings and notes about lines of the
/// user's files, each with the line itself; nothing about our headers.
[[nodiscard]] std::string readable_log(std::string_view compiler_output,
                                       std::span<const NamedSource> sources);

/// What compilers call the line at a place, counted from 1: another number where a #line before it
/// says so.
[[nodiscard]] std::uint32_t presumed_line(std::string_view source, std::uint32_t place);

}  // namespace assay::simt
