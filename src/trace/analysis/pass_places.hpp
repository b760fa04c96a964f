#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/analysis/projection.hpp"
#include "trace/events/events.hpp"

namespace assay::trace {

/// Where they are, for people, if runs of one name are of different things: several loops of the
/// program hold them, such as training and evaluation, and they take differently long there.
/// Otherwise empty. `rows` are of Trace::ranges, in order.
[[nodiscard]] std::string in_unlike_places(const Trace& trace,
                                           const std::vector<std::uint32_t>& rows,
                                           const std::vector<Projected>& projected);

}  // namespace assay::trace
