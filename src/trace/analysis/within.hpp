#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "trace/analysis/attribution.hpp"
#include "trace/events/events.hpp"

namespace assay::trace {

/// The part of a trace that belongs to the ranges `chosen` marks (a byte per range) under the rule.
/// It holds the API calls made in them, the GPU work those launched, and the ranges inside them.
/// Its windows are the times of the chosen ranges. So what a device does between two windows counts
/// neither as work nor as idleness.
[[nodiscard]] Trace trace_within(const Trace& trace, const std::vector<std::uint8_t>& chosen,
                                 RangeRule rule);

/// For each of trace.devices(), the stretches of its time that count: from the first work launched
/// in a window to the last. If the trace has no windows there are none, and all of its time counts.
[[nodiscard]] std::vector<std::vector<Window>> device_windows(const Trace& trace);

/// The window that holds a moment, by its number; kNone where none does. Windows are in order.
[[nodiscard]] std::uint32_t window_at(const std::vector<Window>& windows, std::int64_t moment);

}  // namespace assay::trace
