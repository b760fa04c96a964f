#pragma once

#include <string_view>
#include <vector>

#include "trace/events/events.hpp"
#include "trace/events/nsys_fixture.hpp"
#include "trace/table.hpp"

namespace assay::trace {

/// A program whose ranges `ranges` gives, each with a kernel of 10 every 50.
[[nodiscard]] Trace with_ranges(const std::vector<FixtureRange>& ranges);

/// What a question about it is answered: the first finding.
[[nodiscard]] Finding asked(const Trace& trace, std::string_view question);

}  // namespace assay::trace
