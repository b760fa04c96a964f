#pragma once

#include <string>

#include "trace/figures.hpp"

namespace assay::trace {

/// What the page's script draws, as JSON that may stand inside a script element: no `<` in it.
/// Timelines and breakdowns are cut to what a page can show.
[[nodiscard]] std::string page_data(const Figures& figures);

}  // namespace assay::trace
