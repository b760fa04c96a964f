#include "trace/analysis/attribution.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "trace/events/events.hpp"
#include "trace/events/nsys_fixture.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

constexpr std::uint64_t kMain = 100;
constexpr std::uint64_t kAutograd = 101;

/// A kernel whose call takes 2 ns and which runs for 10 from 100 ns later.
void launch_at(NsysFixture& fixture, std::int64_t time, std::uint64_t tid,
               std::string_view name = "k") {
  fixture.launch({.call_start = time,
                  .call_end = time + 2,
                  .start = time + 100,
                  .end = time + 110,
                  .name = std::string(name),
                  .tid = tid});
}

std::vector<std::string_view> ranges_of(const Trace& trace, const RangeSets& sets,
                                        std::uint32_t call) {
  std::vector<std::string_view> names;
  for (const std::uint32_t row : sets.of_call(call)) {
    names.push_back(trace.strings.view(trace.ranges.name[row]));
  }
  return names;
}

using Names = std::vector<std::string_view>;

TEST(Attribution, a_kernel_belongs_to_every_range_around_its_launch) {
  NsysFixture fixture;
  fixture.range({.start = 0, .end = 100, .name = "outer"});
  fixture.range({.start = 10, .end = 50, .name = "inner"});
  launch_at(fixture, 20, kMain);
  launch_at(fixture, 60, kMain);
  const Trace trace = read_fixture(fixture);
  const Attribution found = attribute(trace);
  EXPECT_EQ(ranges_of(trace, found.same_thread, 0), (Names{"outer", "inner"}));
  EXPECT_EQ(ranges_of(trace, found.same_thread, 1), (Names{"outer"}));
}

TEST(Attribution, a_call_that_outlasts_a_range_is_not_inside_it) {
  NsysFixture fixture;
  fixture.range({.start = 0, .end = 21, .name = "short", .type = 60});
  fixture.range({.start = 5, .end = 90, .name = "long", .type = 60});
  launch_at(fixture, 20, kMain);
  launch_at(fixture, 40, kMain);
  const Trace trace = read_fixture(fixture);
  const Attribution found = attribute(trace);
  EXPECT_EQ(ranges_of(trace, found.same_thread, 0), (Names{"long"}));
  EXPECT_EQ(ranges_of(trace, found.same_thread, 1), (Names{"long"}));
}

TEST(Attribution, a_range_ended_by_another_thread_counts_only_under_the_second_rule) {
  NsysFixture fixture;
  fixture.range({.start = 0, .end = 90, .name = "phase", .type = 60, .end_tid = kAutograd});
  launch_at(fixture, 20, kMain);
  const Trace trace = read_fixture(fixture);
  const Attribution found = attribute(trace);
  EXPECT_TRUE(found.same_thread.of_call(0).empty());
  EXPECT_EQ(ranges_of(trace, found.other_thread, 0), (Names{"phase"}));
}

TEST(Attribution, a_range_of_two_threads_holds_what_lies_in_other_ranges_too) {
  NsysFixture fixture;
  fixture.range({.start = 0, .end = 90, .name = "iteration", .type = 60, .end_tid = kAutograd});
  fixture.range({.start = 5, .end = 60, .name = "forward"});
  fixture.range({.start = 0, .end = 90, .name = "worker", .tid = kAutograd});
  launch_at(fixture, 20, kMain);
  const Trace trace = read_fixture(fixture);
  const Attribution found = attribute(trace);
  EXPECT_EQ(ranges_of(trace, found.same_thread, 0), (Names{"forward"}));
  EXPECT_EQ(ranges_of(trace, found.other_thread, 0), (Names{"iteration"}));
  EXPECT_EQ(coverage_of(trace, found).other_thread.count, 0U) << "the first rule placed it";
}

TEST(Attribution, launches_of_the_autograd_thread_fall_to_the_open_range_by_the_second_rule) {
  NsysFixture fixture;
  fixture.range({.start = 0, .end = 100, .name = "Backward"});
  launch_at(fixture, 20, kAutograd);
  const Trace trace = read_fixture(fixture);
  const Attribution found = attribute(trace);
  EXPECT_TRUE(found.same_thread.of_call(0).empty());
  EXPECT_EQ(ranges_of(trace, found.other_thread, 0), (Names{"Backward"}));
  const Coverage coverage = coverage_of(trace, found);
  EXPECT_EQ(coverage.same_thread.count, 0U);
  EXPECT_EQ(coverage.other_thread.count, 1U);
  EXPECT_EQ(coverage.other_thread.total, 10);
}

TEST(Attribution, ranges_of_the_framework_do_not_keep_a_launch_from_the_second_rule) {
  NsysFixture fixture;
  fixture.range({.start = 0, .end = 100, .name = "Backward"});
  fixture.range({.start = 10, .end = 40, .name = "MmBackward0, seq = 1", .tid = kAutograd});
  launch_at(fixture, 20, kAutograd);
  const Trace trace = read_fixture(fixture);
  const Attribution found = attribute(trace);
  EXPECT_EQ(ranges_of(trace, found.same_thread, 0), (Names{"MmBackward0"}));
  EXPECT_EQ(ranges_of(trace, found.other_thread, 0), (Names{"Backward"}));
}

TEST(Attribution, threads_with_ranges_of_their_own_do_not_claim_each_others_launches) {
  NsysFixture fixture;
  fixture.range({.start = 0, .end = 100, .name = "worker 0"});
  fixture.range({.start = 0, .end = 100, .name = "worker 1", .tid = kAutograd});
  launch_at(fixture, 20, kAutograd);
  const Trace trace = read_fixture(fixture);
  const Attribution found = attribute(trace);
  EXPECT_EQ(ranges_of(trace, found.same_thread, 0), (Names{"worker 1"}));
  EXPECT_TRUE(found.other_thread.of_call(0).empty());
}

TEST(Attribution, a_launch_that_ranges_of_two_threads_claim_is_ambiguous) {
  NsysFixture fixture;
  fixture.range({.start = 0, .end = 100, .name = "a", .tid = 1});
  fixture.range({.start = 0, .end = 100, .name = "b", .tid = 2});
  launch_at(fixture, 20, kAutograd);
  const Trace trace = read_fixture(fixture);
  EXPECT_EQ(coverage_of(trace, attribute(trace)).ambiguous.count, 1U);
}

TEST(Attribution, ranges_of_another_process_claim_nothing) {
  NsysFixture fixture;
  fixture.range({.start = 0, .end = 100, .name = "other", .pid = 200, .tid = 5});
  launch_at(fixture, 20, kAutograd);
  const Trace trace = read_fixture(fixture);
  EXPECT_EQ(coverage_of(trace, attribute(trace)).outside.count, 1U);
}

TEST(Attribution, kernels_without_a_call_are_outside_and_said_to_be) {
  NsysFixture fixture;
  fixture.range({.start = 0, .end = 1000, .name = "all"});
  launch_at(fixture, 20, kMain);
  fixture.kernel({.start = 300, .end = 330, .name = "k", .correlation = 77});
  const Trace trace = read_fixture(fixture);
  const Coverage coverage = coverage_of(trace, attribute(trace));
  EXPECT_EQ(coverage.outside.count, 1U);
  EXPECT_EQ(coverage.without_call.total, 30);
}

TEST(Attribution, the_parts_of_the_coverage_add_up) {
  NsysFixture fixture;
  fixture.range({.start = 0, .end = 50, .name = "a"});
  launch_at(fixture, 10, kMain);
  launch_at(fixture, 20, kAutograd);
  launch_at(fixture, 90, kMain);
  const Trace trace = read_fixture(fixture);
  const Coverage coverage = coverage_of(trace, attribute(trace));
  EXPECT_EQ(coverage.same_thread.count + coverage.other_thread.count + coverage.outside.count,
            coverage.all.count);
}

TEST(RangeGpuTable, counts_a_kernel_once_for_a_name_that_nests_in_itself) {
  NsysFixture fixture;
  fixture.range({.start = 0, .end = 100, .name = "recurse"});
  fixture.range({.start = 10, .end = 90, .name = "recurse"});
  launch_at(fixture, 20, kMain);
  const Trace trace = read_fixture(fixture);
  const Table table = range_gpu_table(trace, attribute(trace));
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(*table.find(0, "same_thread_kernels"), Cell(1));
  EXPECT_EQ(*table.find(0, "same_thread_ns"), Cell(10));
}

TEST(KernelsIn, follows_the_rule_asked_for) {
  NsysFixture fixture;
  fixture.range({.start = 0, .end = 100, .name = "Backward"});
  launch_at(fixture, 20, kAutograd);
  launch_at(fixture, 30, kMain);
  const Trace trace = read_fixture(fixture);
  const Attribution found = attribute(trace);
  const std::vector<std::uint8_t> chosen = {1};
  EXPECT_EQ(kernels_in(trace, found, chosen, RangeRule::same_thread),
            (std::vector<std::uint8_t>{0, 1}));
  EXPECT_EQ(kernels_in(trace, found, chosen, RangeRule::both), (std::vector<std::uint8_t>{1, 1}));
}

}  // namespace
}  // namespace assay::trace
