#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace assay::simt {

/// A source as submitted, and the name that translate() was given for it.
struct NamedSource {
  std::string_view name;
  std::string_view text;
};

/// The compiler's output as its reader needs it: errors, warnings and notes about lines of the
/// user's files, each with the line itself. Nothing about our headers.
[[nodiscard]] std::string readable_log(std::string_view compiler_output,
                                       std::span<const NamedSource> sources);

/// The line number that compilers give for a place, counted from 1. A #line before the place
/// changes it.
[[nodiscard]] std::uint32_t presumed_line(std::string_view source, std::uint32_t place);

}  // namespace assay::simt
