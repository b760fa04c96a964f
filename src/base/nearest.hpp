#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// The word among `known` that `word` was probably meant to be; nothing if none is near.
[[nodiscard]] std::optional<std::string> nearest(std::string_view word,
                                                 const std::vector<std::string>& known);

}  // namespace assay
