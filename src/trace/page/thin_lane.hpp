#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/figures.hpp"

namespace assay::trace {

/// A bar of a page's timeline: one span, or several short neighbours drawn as one.
struct PageBar {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t label = 0;  // of the longest span in it
  std::uint64_t count = 1;  // spans in it
};

/// The spans of a lane in order of start, as at most about twice `limit` bars. The lane is cut into
/// `limit` pieces of equal length. Spans at least as long as a piece keep a bar of their own.
/// Shorter ones that start within the same piece share one.
[[nodiscard]] std::vector<PageBar> thin_lane(const std::vector<TimelineSpan>& spans,
                                             std::size_t limit);

}  // namespace assay::trace
