#pragma once

#include <cstdint>
#include <vector>

#include "trace/events/events.hpp"

namespace assay::trace {

/// A trace as a reader fills it: rows in any order, and where Work::call will be the row of a
/// call there is still the correlation id that both sides carry (0: none).
struct Assembly {
  Trace trace;
  std::vector<std::uint32_t> call_correlation;  // one per row of trace.calls
};

/// Orders every table by start, ends the ranges that never ended, and replaces correlation ids
/// by rows of calls. What finds no partner is counted.
[[nodiscard]] Trace assemble(Assembly assembly);

}  // namespace assay::trace
