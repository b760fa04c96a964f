#pragma once

#include <string_view>

namespace assay {

/// As in CMakeLists.txt: "0.1.0".
[[nodiscard]] std::string_view version();

}  // namespace assay
