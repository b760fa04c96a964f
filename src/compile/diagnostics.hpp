#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay::compile {

/// A directory as the compiler names it (with its final slash), and as the submitter may know it.
using PathNames = std::vector<std::pair<std::string, std::string>>;

/// What a compiler printed, fit to be shown: our own paths renamed, control characters and invalid
/// UTF-8 replaced.
[[nodiscard]] std::string clean_diagnostics(std::string_view raw, const PathNames& names);

/// What the linker did not find, a line each, without the temporary objects it missed it in.
[[nodiscard]] std::string undefined_references(std::string_view raw);

}  // namespace assay::compile
