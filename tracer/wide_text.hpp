#pragma once

#include <string>

namespace assay::tracer {

/// Wide characters are UTF-32 on Linux. What is no character becomes U+FFFD.
[[nodiscard]] std::string to_utf8(const wchar_t* text);

}  // namespace assay::tracer
