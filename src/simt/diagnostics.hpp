#pragma once

#include <string>
#include <string_view>

namespace assay::simt {

/// The compiler's output as its reader needs it: errors, warnings and notes about lines of the
/// user's file, each with the line itself; nothing about our headers. `source` is the text as
/// submitted, `file_name` what translate() was told to call it.
[[nodiscard]] std::string readable_log(std::string_view compiler_output, std::string_view source,
                                       std::string_view file_name);

}  // namespace assay::simt
