#include "metrics/findings.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/device_metrics.hpp"

namespace assay::metrics {
namespace {

using ::testing::HasSubstr;

CallMetrics call_with(double compute, double memory) {
  return {.groups = {{.name = "speed_of_light",
                      .values = {{"compute_throughput_pct", compute},
                                 {"memory_throughput_pct", memory},
                                 {"gpu_dram_throughput_pct", memory}}},
                     {.name = "detailed_metrics", .values = {{"l2_hit_rate_pct", 4.0}}}},
          .launches = {{.kernel = "k"}}};
}

MetricFinding first(const CallMetrics& call) {
  return find_what_they_say(call).front();
}

TEST(Findings, a_copy_is_memory_bound_with_its_numbers) {
  const MetricFinding found = first(call_with(10, 92));
  EXPECT_EQ(found.rule, "memory_bound");
  EXPECT_EQ(found.text, "memory-bound: 92 % of DRAM bandwidth; L2 hit rate 4 %; compute at 10 %");
  EXPECT_EQ(found.numbers.size(), 4U);
}

TEST(Findings, a_matmul_is_compute_bound) {
  EXPECT_EQ(first(call_with(90, 45)).rule, "compute_bound");
}

TEST(Findings, what_uses_neither_waits_for_latency) {
  EXPECT_EQ(first(call_with(5, 8)).rule, "latency_bound");
  EXPECT_EQ(first(call_with(80, 82)).rule, "balanced");
}

TEST(Findings, without_the_throughputs_nothing_is_claimed) {
  EXPECT_EQ(first({}).rule, "bound_unknown");
  EXPECT_THAT(first({}).text, HasSubstr("SpeedOfLight"));
}

TEST(Findings, name_what_limits_occupancy_and_what_warps_wait_for) {
  CallMetrics call = call_with(5, 8);
  call.groups.push_back({.name = "occupancy_metrics",
                         .values = {{"theoretical_occupancy_pct", 18.75},
                                    {"registers_per_thread", 168.0},
                                    {"occupancy_limiter", std::string("registers")}}});
  call.groups.push_back({.name = "stall_metrics",
                         .values = {{"stall_barrier_pct", 12.0},
                                    {"stall_not_selected_pct", 80.0},
                                    {"stall_long_scoreboard_pct", 61.0}}});
  const auto findings = find_what_they_say(call);
  ASSERT_EQ(findings.size(), 3U);
  EXPECT_EQ(
      findings[1].text,
      "at most 19 % of the warps fit at once, limited by registers; 168 registers per thread");
  EXPECT_EQ(findings[2].text,
            "warps spend 61 % of their time waiting for data from L2 or device memory");
}

TEST(Findings, scattered_access_and_small_grids_are_told) {
  CallMetrics call = call_with(5, 8);
  call.groups.push_back({.name = "occupancy_metrics", .values = {{"waves_per_sm", 0.25}}});
  call.groups.push_back({.name = "access_pattern_metrics", .values = {{"l2_excess_frac", 0.5}}});
  const auto findings = find_what_they_say(call);
  ASSERT_EQ(findings.size(), 3U);
  EXPECT_EQ(findings[1].rule, "small_grid");
  EXPECT_EQ(findings[2].rule, "uncoalesced");
}

TEST(Findings, time_spent_outside_the_captured_launches_is_told) {
  CallMetrics call = call_with(5, 8);
  call.groups.push_back({.name = "timing_metrics", .values = {{"gpu_time_duration_sum", 1000.0}}});
  EXPECT_FALSE(compare_with_time(call, 1500));
  EXPECT_FALSE(compare_with_time(call, std::nullopt));
  const auto gap = compare_with_time(call, 10000);
  ASSERT_TRUE(gap);
  EXPECT_THAT(gap->text, HasSubstr("90 % of its time is spent elsewhere"));
}

}  // namespace
}  // namespace assay::metrics
