#include "metrics/over_runs.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "metrics/call_metrics.hpp"
#include "model/device_metrics.hpp"

namespace assay::metrics {
namespace {

CallMetrics run_of(double duration, double hits) {
  return {.groups = {{.name = "timing_metrics", .values = {{"gpu_time_duration_sum", duration}}},
                     {.name = "detailed_metrics",
                      .values = {{"l2_hit_rate_pct", hits}, {"limiter", std::string("x")}}}},
          .launches = {{.kernel = "k", .duration_ns = duration}}};
}

TEST(OverRuns, gives_medians_and_how_far_the_runs_lie_apart) {
  const std::vector<CallMetrics> runs{run_of(30, 5), run_of(10, 5), run_of(20, 5)};
  EXPECT_EQ(middle_run(runs), 2U);
  const CallMetrics call = over_runs(runs);
  EXPECT_EQ(call.runs, 3U);
  EXPECT_EQ(number_in(call, "timing_metrics", "gpu_time_duration_sum"), 20);
  ASSERT_EQ(call.spread.size(), 1U) << "what does not differ has no spread";
  EXPECT_EQ(call.spread[0].key, "gpu_time_duration_sum");
  EXPECT_EQ(call.spread[0].least, 10);
  EXPECT_EQ(call.spread[0].most, 30);
  EXPECT_EQ(call.launches.at(0).duration_ns, 20);
  EXPECT_FALSE(call.findings.empty()) << "said again, of the medians";
}

TEST(OverRuns, takes_the_mean_of_the_two_in_the_middle) {
  const std::vector<CallMetrics> runs{run_of(30, 5), run_of(10, 6)};
  EXPECT_EQ(middle_run(runs), 1U);
  EXPECT_EQ(number_in(over_runs(runs), "detailed_metrics", "l2_hit_rate_pct"), 5.5);
}

TEST(OverRuns, leaves_one_run_as_it_is) {
  const std::vector<CallMetrics> runs{run_of(30, 5)};
  EXPECT_EQ(over_runs(runs).runs, 1U);
  EXPECT_TRUE(over_runs(runs).spread.empty());
}

}  // namespace
}  // namespace assay::metrics
