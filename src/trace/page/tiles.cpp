#include "trace/page/tiles.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <zlib.h>

#include "trace/figures.hpp"

namespace assay::trace {
namespace {

constexpr std::size_t kSpansOfTile = 8192;  // unpacked in a millisecond, drawn in a few

/// Seven bits a byte, the lowest first; the highest bit says that more follow.
void add_number(std::uint64_t value, std::string& out) {
  while (value >= 0x80U) {
    out += static_cast<char>((value & 0x7FU) | 0x80U);
    value >>= 7U;
  }
  out += static_cast<char>(value);
}

std::uint64_t natural(std::int64_t value) {
  return value < 0 ? 0 : static_cast<std::uint64_t>(value);
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      group =
          (group << 8U) | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      out += i + j <= bytes.size() ? kDigits[(group >> (18U - 6U * j)) & 63U] : '=';
    }
  }
  return out;
}

/// Empty where zlib cannot, which it can unless memory is out: then the page lacks the detail.
std::string deflated(std::string_view bytes) {
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  std::string out(size, '\0');
  const int status =
      compress2(reinterpret_cast<Bytef*>(out.data()), &size,
                reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uLong>(bytes.size()), 6);
  out.resize(status == Z_OK ? size : 0);
  return out;
}

Tile tile_of(std::span<const TimelineSpan> spans) {
  Tile tile{
      .start_ns = spans.front().start_ns, .end_ns = spans.front().end_ns, .count = spans.size()};
  std::string numbers;
  std::int64_t before = tile.start_ns;
  for (const TimelineSpan& span : spans) {
    tile.end_ns = std::max(tile.end_ns, span.end_ns);
    add_number(natural(span.start_ns - before), numbers);
    add_number(natural(span.end_ns - span.start_ns), numbers);
    add_number(span.label, numbers);
    before = span.start_ns;
  }
  tile.packed = base64(deflated(numbers));
  return tile;
}

}  // namespace

std::vector<Tile> tiles_of(const std::vector<TimelineSpan>& spans) {
  std::vector<TimelineSpan> sorted = spans;
  if (!std::ranges::is_sorted(sorted, {}, &TimelineSpan::start_ns)) {
    std::ranges::stable_sort(sorted, {}, &TimelineSpan::start_ns);
  }
  std::vector<Tile> tiles;
  for (std::size_t at = 0; at < sorted.size(); at += kSpansOfTile) {
    tiles.push_back(tile_of(std::span<const TimelineSpan>(sorted).subspan(
        at, std::min(kSpansOfTile, sorted.size() - at))));
  }
  return tiles;
}

}  // namespace assay::trace
