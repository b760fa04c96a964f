#include "trace/page/tiles.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <zlib.h>

#include "trace/figures.hpp"

namespace assay::trace {
namespace {

std::string unbase64(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = (bits << 6U) | static_cast<std::uint32_t>(digits.find(c));
    count += 6;
    if (count >= 8) {
      count -= 8;
      out += static_cast<char>((bits >> static_cast<unsigned>(count)) & 0xFFU);
    }
  }
  return out;
}

/// The spans of a tile as a page would unpack them.
std::vector<TimelineSpan> unpacked(const Tile& tile) {
  const std::string packed = unbase64(tile.packed);
  std::string bytes(tile.count * 30, '\0');
  uLongf size = bytes.size();
  EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(bytes.data()), &size,
                       reinterpret_cast<const Bytef*>(packed.data()), packed.size()),
            Z_OK);
  std::size_t at = 0;
  const auto number = [&] {
    std::uint64_t value = 0;
    unsigned shift = 0;
    while (true) {
      const auto byte = static_cast<unsigned char>(bytes.at(at++));
      value |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80U) return static_cast<std::int64_t>(value);
      shift += 7;
    }
  };
  std::vector<TimelineSpan> spans;
  std::int64_t before = tile.start_ns;
  for (std::size_t i = 0; i < tile.count; ++i) {
    before += number();
    const std::int64_t took = number();
    spans.push_back({before, before + took, static_cast<std::uint32_t>(number())});
  }
  EXPECT_EQ(at, size);
  return spans;
}

TEST(Tiles, hold_every_span_of_a_lane) {
  std::vector<TimelineSpan> spans;
  for (std::int64_t i = 0; i < 20'000; ++i) {
    spans.push_back({1'000'000 + i * 1300, 1'000'000 + i * 1300 + i % 997,
                     static_cast<std::uint32_t>(i % 300)});
  }
  const std::vector<Tile> tiles = tiles_of(spans);
  EXPECT_GT(tiles.size(), 1U);
  std::vector<TimelineSpan> found;
  for (const Tile& tile : tiles) {
    EXPECT_LE(tile.start_ns, tile.end_ns);
    for (const TimelineSpan& span : unpacked(tile)) found.push_back(span);
  }
  ASSERT_EQ(found.size(), spans.size());
  for (std::size_t i = 0; i < spans.size(); ++i) {
    ASSERT_EQ(found[i].start_ns, spans[i].start_ns) << i;
    ASSERT_EQ(found[i].end_ns, spans[i].end_ns) << i;
    ASSERT_EQ(found[i].label, spans[i].label) << i;
  }
}

TEST(Tiles, of_a_lane_in_disorder_are_in_order) {
  const std::vector<Tile> tiles = tiles_of({{50, 60, 1}, {10, 90, 2}});
  ASSERT_EQ(tiles.size(), 1U);
  EXPECT_EQ(tiles[0].start_ns, 10);
  EXPECT_EQ(tiles[0].end_ns, 90);
  EXPECT_EQ(unpacked(tiles[0])[1].label, 1U);
  EXPECT_TRUE(tiles_of({}).empty());
}

}  // namespace
}  // namespace assay::trace
