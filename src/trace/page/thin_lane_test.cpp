#include "trace/page/thin_lane.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "trace/figures.hpp"

namespace assay::trace {
namespace {

TEST(ThinLane, keeps_a_short_lane_as_it_is_in_order_of_start) {
  const std::vector<TimelineSpan> spans = {{20, 30, 1}, {0, 10, 0}};
  const auto bars = thin_lane(spans, 100);
  ASSERT_EQ(bars.size(), 2U);
  EXPECT_EQ(bars[0].start_ns, 0);
  EXPECT_EQ(bars[1].label, 1U);
}

TEST(ThinLane, draws_many_short_spans_as_few_bars_without_losing_any) {
  std::vector<TimelineSpan> spans;
  for (std::int64_t i = 0; i < 100000; ++i) spans.push_back({i * 10, i * 10 + 5, 0});
  spans.push_back({500, 400000, 7});
  const auto bars = thin_lane(spans, 100);
  EXPECT_LE(bars.size(), 203U);
  std::uint64_t count = 0;
  std::size_t long_ones = 0;
  for (const PageBar& bar : bars) {
    count += bar.count;
    long_ones += bar.label == 7 ? 1 : 0;
  }
  EXPECT_EQ(count, spans.size());
  EXPECT_EQ(long_ones, 1U);
}

TEST(ThinLane, labels_a_merged_bar_by_its_longest_span) {
  const std::vector<TimelineSpan> spans = {{0, 1, 1}, {2, 5, 2}, {6, 7, 3}, {1000, 1001, 4}};
  const auto bars = thin_lane(spans, 2);
  ASSERT_EQ(bars.size(), 2U);
  EXPECT_EQ(bars[0].label, 2U);
  EXPECT_EQ(bars[0].count, 3U);
  EXPECT_EQ(bars[0].end_ns, 7);
}

TEST(ThinLane, gives_a_span_that_ends_before_it_starts_no_length) {
  const auto bars = thin_lane({{10, 5, 0}}, 10);
  ASSERT_EQ(bars.size(), 1U);
  EXPECT_EQ(bars[0].end_ns, 10);
  EXPECT_TRUE(thin_lane({}, 10).empty());
}

}  // namespace
}  // namespace assay::trace
