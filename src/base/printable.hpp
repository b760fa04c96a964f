#pragma once

#include <string>
#include <string_view>

namespace assay {

/// `text` as it may be shown on a terminal. Others write names and reasons. A control character in
/// them could move the cursor, hide what was printed or change the terminal's settings. Each
/// becomes `?`. Tabs and line feeds stay.
[[nodiscard]] std::string printable(std::string_view text);

/// The same on one line: tabs and line feeds become spaces.
[[nodiscard]] std::string printable_line(std::string_view text);

}  // namespace assay
