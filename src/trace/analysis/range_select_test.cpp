#include "trace/analysis/range_select.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "trace/events/events.hpp"
#include "trace/events/nsys_fixture.hpp"
#include "trace/events/nsys_sqlite.hpp"

namespace assay::trace {
namespace {

Trace two_phases() {
  NsysFixture fixture;
  fixture.range({.start = 0, .end = 100, .name = "Warm-up"});
  fixture.range({.start = 10, .end = 20, .name = "Forward"});
  fixture.range({.start = 200, .end = 400, .name = "Benchmark"});
  fixture.range({.start = 210, .end = 300, .name = "Forward"});
  fixture.range({.start = 220, .end = 230, .name = "Forward"});
  return read_nsys_sqlite(fixture.image()).value();
}

std::vector<std::int64_t> starts(const Trace& trace, std::string_view text) {
  std::vector<std::int64_t> out;
  const auto chosen = select_ranges(trace, text);
  EXPECT_TRUE(chosen.has_value()) << text;
  for (std::size_t row = 0; chosen && row < chosen->size(); ++row) {
    if ((*chosen)[row] != 0) out.push_back(trace.ranges.start[row]);
  }
  return out;
}

using Starts = std::vector<std::int64_t>;

TEST(SelectRanges, by_name_case_or_pattern) {
  const Trace trace = two_phases();
  EXPECT_EQ(starts(trace, "Forward"), (Starts{10, 210, 220}));
  EXPECT_EQ(starts(trace, "forward"), (Starts{10, 210, 220}));
  EXPECT_EQ(starts(trace, "*-up"), (Starts{0}));
}

TEST(SelectRanges, inside_others) {
  const Trace trace = two_phases();
  EXPECT_EQ(starts(trace, "Benchmark > Forward"), (Starts{210, 220}));
  EXPECT_EQ(starts(trace, "warm* > forward"), (Starts{10}));
  EXPECT_EQ(starts(trace, "Benchmark > Forward > Forward"), (Starts{220}));
}

TEST(SelectRanges, that_do_not_exist_is_not_found_and_names_some_that_do) {
  const auto chosen = select_ranges(two_phases(), "Backward");
  EXPECT_EQ(chosen.error().code(), ErrorCode::not_found);
  EXPECT_NE(chosen.error().message().find("'Benchmark'"), std::string::npos);
  EXPECT_FALSE(select_ranges(two_phases(), "Forward > Benchmark").has_value());
  EXPECT_FALSE(select_ranges(Trace(), "x").has_value());
}

TEST(Outermost, leaves_out_ranges_inside_chosen_ones) {
  const Trace trace = two_phases();
  const auto rows = outermost(trace, select_ranges(trace, "Forward").value());
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(trace.ranges.start[rows[1]], 210);
}

}  // namespace
}  // namespace assay::trace
