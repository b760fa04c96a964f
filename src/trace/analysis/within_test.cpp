#include "trace/analysis/within.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "trace/analysis/analysis.hpp"
#include "trace/analysis/ask.hpp"
#include "trace/analysis/attribution.hpp"
#include "trace/analysis/busy.hpp"
#include "trace/analysis/gaps.hpp"
#include "trace/analysis/launches.hpp"
#include "trace/analysis/op_class.hpp"
#include "trace/analysis/range_select.hpp"
#include "trace/analysis/reports.hpp"
#include "trace/events/demo_fixture.hpp"
#include "trace/events/events.hpp"
#include "trace/events/nsys_fixture.hpp"
#include "trace/events/nsys_sqlite.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

/// Two steps of two kernels 10 apart, a kernel and a long pause between them.
Trace two_steps() {
  NsysFixture fixture;
  const auto step = [&](std::int64_t at) {
    fixture.range({.start = at, .end = at + 50, .name = "step"});
    fixture.launch(
        {.call_start = at + 1, .call_end = at + 5, .start = at + 10, .end = at + 30, .name = "a"});
    fixture.launch(
        {.call_start = at + 6, .call_end = at + 9, .start = at + 40, .end = at + 60, .name = "b"});
  };
  step(0);
  fixture.launch({.call_start = 300, .call_end = 305, .start = 310, .end = 320, .name = "between"});
  step(1000);
  return read_nsys_sqlite(fixture.image()).value();
}

Trace steps_of(const Trace& trace, RangeRule rule = RangeRule::both) {
  return trace_within(trace, select_ranges(trace, "step").value(), rule);
}

TEST(TraceWithin, holds_the_work_launched_inside_and_the_calls_that_launched_it) {
  const Trace whole = two_steps();
  const Trace part = steps_of(whole);
  EXPECT_EQ(part.kernels.size(), 4U);
  EXPECT_EQ(part.calls.size(), 4U);
  EXPECT_EQ(part.ranges.size(), 2U);
  for (std::size_t row = 0; row < part.kernels.size(); ++row) {
    EXPECT_LT(part.calls.start[part.kernels.call[row]], part.kernels.start[row]);
    EXPECT_NE(part.function_name(part.kernels.function[row]), "between");
  }
}

TEST(TraceWithin, counts_no_time_between_two_ranges_as_idle) {
  const Trace part = steps_of(two_steps());
  const auto devices = device_busy(part);
  ASSERT_EQ(devices.size(), 1U);
  EXPECT_EQ(devices[0].span, 100);  // 10 to 60, twice
  EXPECT_EQ(devices[0].busy, 80);
  EXPECT_EQ(devices[0].at_concurrency[0], 20);
  const GapReport gaps = find_gaps(part);
  EXPECT_EQ(gaps.devices.at(0).all.count, 2U);
  EXPECT_EQ(gaps.devices.at(0).all.total, devices[0].idle());
}

TEST(TraceWithin, measures_queues_range_by_range) {
  const auto depths = queue_depths(steps_of(two_steps()));
  ASSERT_EQ(depths.size(), 1U);
  EXPECT_EQ(depths[0].span, 78);  // from the first launch at 1 to the last start at 40, twice
  EXPECT_EQ(depths[0].empty, 0);
  EXPECT_EQ(depths[0].peak, 2U);
}

TEST(TraceWithin, follows_the_rule_to_other_threads) {
  NsysFixture fixture;
  add_demo(fixture);
  const Trace whole = read_nsys_sqlite(fixture.image()).value();
  const auto backward = select_ranges(whole, "backward").value();
  EXPECT_EQ(trace_within(whole, backward, RangeRule::same_thread).kernels.size(), 0U);
  EXPECT_EQ(trace_within(whole, backward, RangeRule::both).kernels.size(), 24U);
}

TEST(TraceWithin, of_every_range_holds_as_much_as_the_rule_places) {
  NsysFixture fixture;
  add_demo(fixture);
  const Trace whole = read_nsys_sqlite(fixture.image()).value();
  const Attribution attribution = attribute(whole);
  for (const char* name : {"forward", "backward", "step *", "optimizer", "*"}) {
    const auto chosen = select_ranges(whole, name).value();
    const auto kept = kernels_in(whole, attribution, chosen, RangeRule::both);
    const auto count = static_cast<std::size_t>(std::ranges::count(kept, 1));
    EXPECT_EQ(trace_within(whole, chosen, RangeRule::both).kernels.size(), count) << name;
  }
}

TEST(TraceWithin, of_a_range_that_launches_nothing_is_empty) {
  NsysFixture fixture;
  fixture.range({.start = 0, .end = 10, .name = "step"});
  const Trace part = steps_of(read_nsys_sqlite(fixture.image()).value());
  EXPECT_TRUE(part.kernels.empty());
  EXPECT_TRUE(device_busy(part).empty());
}

TEST(TraceWithin, answers_questions_about_devices_inside_a_range) {
  const Trace whole = two_steps();
  const OpClassifier classifier;
  Analysis analysis(whole, classifier);
  const Report inside = ask(analysis, "idle", {.range = "step"}).value();
  EXPECT_EQ(*inside.find_table("device_busy")->find(0, "idle_ns"), Cell(20));
  const Report nowhere = ask(analysis, "idle", {.range = "nowhere"}).value();
  EXPECT_EQ(nowhere.findings.at(0).kind, FindingKind::abstention);
}

TEST(TraceWithin, limits_every_report) {
  const Trace whole = two_steps();
  const OpClassifier classifier;
  Analysis analysis(whole, classifier);
  const Report report =
      make_report(analysis, {.reports = {"busy", "api", "idle"}, .range = "step"}).value();
  EXPECT_EQ(*report.find_table("device_busy")->find(0, "kernels"), Cell(4));
  EXPECT_EQ(*report.find_table("cuda_api")->find(0, "count"), Cell(4));
}

TEST(WindowAt, is_none_outside_of_all) {
  const std::vector<Window> windows = {{10, 20}, {30, 40}};
  EXPECT_EQ(window_at(windows, 10), 0U);
  EXPECT_EQ(window_at(windows, 20), 0U);
  EXPECT_EQ(window_at(windows, 25), kNone);
  EXPECT_EQ(window_at(windows, 5), kNone);
  EXPECT_EQ(window_at(windows, 35), 1U);
}

}  // namespace
}  // namespace assay::trace
