#include "trace/analysis/summary.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "trace/events/events.hpp"

namespace assay::trace {
namespace {

TEST(Summary, of_nothing_is_zero) {
  EXPECT_EQ(summarise({}).count, 0U);
  EXPECT_EQ(summarise({}).average, 0);
}

TEST(Summary, of_one_duration_has_no_deviation) {
  std::vector<std::int64_t> one = {7};
  const Summary summary = summarise(one);
  EXPECT_EQ(summary.median, 7);
  EXPECT_EQ(summary.deviation, 0);
}

TEST(Summary, median_of_an_even_number_is_the_mean_of_the_middle_two) {
  std::vector<std::int64_t> four = {9, 1, 4, 7};
  EXPECT_EQ(summarise(four).median, 5.5);
}

TEST(Summary, deviation_is_that_of_a_sample) {
  std::vector<std::int64_t> values = {2, 4, 4, 4, 5, 5, 7, 9};
  EXPECT_DOUBLE_EQ(one_decimal(summarise(values).deviation), 2.1);
}

TEST(Summary, deviation_keeps_its_first_decimal_for_long_durations) {
  std::vector<std::int64_t> values = {10'000'000'000, 10'000'000'001};
  EXPECT_DOUBLE_EQ(one_decimal(summarise(values).deviation), 0.7);
}

TEST(Summary, rounding_goes_to_the_decimal_nearest_the_exact_value) {
  EXPECT_EQ(one_decimal(0.25), 0.2);  // exact in binary: to even
  EXPECT_EQ(one_decimal(0.35), 0.3);  // a little less than 0.35 in binary
  EXPECT_EQ(one_decimal(-1.25), -1.2);
}

TEST(Summary, a_share_of_nothing_is_nothing) {
  EXPECT_EQ(share_pct(5, 0), 0);
}

TEST(GroupDurations, leaves_out_rows_without_a_key_and_orders_by_total_then_name) {
  Spans spans;
  spans.start = {0, 10, 20, 30};
  spans.end = {5, 15, 21, 37};
  const std::vector<std::uint32_t> keys = {2, 0, kNone, 1};
  const std::vector<std::string_view> names = {"b", "z", "a"};
  const auto groups = group_durations(
      spans, 3, [&](std::size_t row) { return keys[row]; },
      [&](std::uint32_t key) { return names[key]; });
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[0].key, 1U);
  EXPECT_EQ(groups[1].key, 2U) << "of equal totals, the first by name";
  EXPECT_EQ(groups[2].key, 0U);
}

}  // namespace
}  // namespace assay::trace
