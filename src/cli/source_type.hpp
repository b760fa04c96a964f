#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace assay::cli {

/// The `kernel_type` of a source, by the ending of its file and by what it holds. If `path` is "-",
/// the content alone decides. Fails with `invalid_argument` if it cannot be told, and names the
/// `flag` that says it.
[[nodiscard]] Result<std::string> source_type(const std::filesystem::path& path,
                                              std::string_view text,
                                              std::string_view flag = "--type");

/// Whether a text is a whole request rather than a source: a JSON object.
[[nodiscard]] bool looks_like_json(std::string_view text);

}  // namespace assay::cli
