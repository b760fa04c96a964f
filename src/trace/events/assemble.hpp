#pragma once

#include <cstdint>
#include <vector>

#include "trace/events/events.hpp"

namespace assay::trace {

/// A trace as a reader fills it, with rows in any order. Work::call still holds the correlation id
/// that both sides carry (0: none). It will be the row of a call.
struct Assembly {
  Trace trace;
  std::vector<std::uint32_t> call_correlation;  // one per row of trace.calls
};

/// Orders every table by start, ends the ranges that never ended, and replaces correlation ids by
/// rows of calls. Ids that find no partner are counted.
[[nodiscard]] Trace assemble(Assembly assembly);

}  // namespace assay::trace
