#pragma once

#include <string>
#include <string_view>

namespace assay::wire {

// Numbers as text, for messages in which they may be NaN or infinite, which JSON cannot say.

[[nodiscard]] std::string real_text(double value);  // reads back as the same number

/// Throws std::invalid_argument where the text is no number; its callers catch.
[[nodiscard]] double read_real(std::string_view text);

}  // namespace assay::wire
