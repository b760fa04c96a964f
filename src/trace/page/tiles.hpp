#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "trace/figures.hpp"

namespace assay::trace {

/// A stretch of a lane with every one of its spans, packed. A page unpacks it when someone looks
/// closely.
struct Tile {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::size_t count = 0;
  std::string packed;  // base64 of a zlib stream of variable-length numbers
};

/// The spans of a lane in order of start, in tiles. Each span is three numbers: how long it starts
/// after the span before it, how long it lasts, and its label. The first span counts from the start
/// of the tile.
[[nodiscard]] std::vector<Tile> tiles_of(const std::vector<TimelineSpan>& spans);

}  // namespace assay::trace
