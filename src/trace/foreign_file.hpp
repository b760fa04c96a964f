#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace assay::trace {

/// What a file that is no profile is, and what to do about it, as the end of "FILE is ...": text
/// that a profiler printed, an archive, a program. Nothing where its beginning does not tell.
[[nodiscard]] std::optional<std::string> name_foreign(std::string_view beginning);

}  // namespace assay::trace
