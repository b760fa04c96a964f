#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace assay::trace {

/// Says what a file is that is no profile, and what to do about it: text that a profiler printed,
/// an archive, a program. It is the end of a sentence that begins with "FILE is". Nothing where the
/// file's beginning does not tell.
[[nodiscard]] std::optional<std::string> name_foreign(std::string_view beginning);

}  // namespace assay::trace
