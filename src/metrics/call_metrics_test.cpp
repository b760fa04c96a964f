#include "metrics/call_metrics.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "metrics/changes.hpp"
#include "model/device_metrics.hpp"
#include "trace/ncu/reader.hpp"
#include "trace/ncu/rep_fixture.hpp"
#include "trace/ncu/report.hpp"
#include "trace/ncu/sample_report.hpp"

namespace assay::metrics {
namespace {

constexpr const char* kRange = "request_1_custom";

/// The sample's two launches inside one range, as the lane reads them: written and read again.
trace::NcuReport report() {
  trace::NcuReport made = trace::testing::sample_report();
  for (trace::NcuLaunch& launch : made.launches) {
    launch.nvtx = {{.kind = trace::NcuNvtxRange::Kind::start_end, .name = kRange}};
  }
  return trace::parse_ncu(trace::testing::write_ncu_rep(made)).value();
}

double number(const CallMetrics& call, const char* group, const char* key) {
  return number_in(call, group, key).value_or(-1);
}

TEST(CallMetrics, counts_sum_and_percentages_are_weighted_by_time) {
  const CallMetrics call = read_call(report(), kRange).value();
  EXPECT_DOUBLE_EQ(number(call, "timing_metrics", "gpu_time_duration_sum"), 250000);
  EXPECT_DOUBLE_EQ(number(call, "timing_metrics", "gpu_time_duration_seconds"), 250e-6);
  // 200 us at 90 % and 50 us at 10 %
  EXPECT_DOUBLE_EQ(number(call, "speed_of_light", "compute_throughput_pct"), 74);
  // 200 MB of the one, 4 TB/s for 50 us of the other
  EXPECT_DOUBLE_EQ(number(call, "roofline_metrics", "dram_bytes_sum"), 400e6);
}

TEST(CallMetrics, compute_is_the_multiprocessors_and_a_gigabyte_is_a_thousand_million) {
  const CallMetrics call = read_call(report(), kRange).value();
  const MetricGroup& sol = call.launches[1].groups[0];
  EXPECT_EQ(sol.name, "speed_of_light");
  EXPECT_EQ(std::get<double>(sol.values[0].value), 10);
  EXPECT_EQ(std::get<double>(sol.values[1].value), 83);
  EXPECT_DOUBLE_EQ(number(call, "memory_metrics", "dram_total_bandwidth_gb_s"), 4000);
}

TEST(CallMetrics, work_is_counted_on_both_kinds_of_core) {
  const CallMetrics call = read_call(report(), kRange).value();
  EXPECT_DOUBLE_EQ(number(call, "roofline_metrics", "flop_count_tensor"), 137438953472.0);
  const double cuda = 100.0 * 2e9 * 50e-6;  // per cycle, at 2 GHz
  EXPECT_DOUBLE_EQ(number(call, "roofline_metrics", "flop_count_cuda"), cuda);
  EXPECT_DOUBLE_EQ(number(call, "roofline_metrics", "arithmetic_intensity"),
                   (137438953472.0 + cuda) / 400e6);
  // Against the dense peak of the instructions used, at the clock of the launch.
  EXPECT_DOUBLE_EQ(number(call, "roofline_metrics", "peak_gflops"), 540672.0 * 1.5);
}

TEST(CallMetrics, each_launch_stands_by_itself_with_its_share) {
  const CallMetrics call = read_call(report(), kRange).value();
  ASSERT_EQ(call.launches.size(), 2U);
  EXPECT_EQ(call.launches[0].kernel, "nvjet_sm90_tst_256x128");
  EXPECT_EQ(call.launches[0].grid, "2 x 66 x 1");
  EXPECT_EQ(call.launches[0].share, 0.8);
  EXPECT_EQ(call.launches[1].duration_ns, 50000);
}

TEST(CallMetrics, launches_outside_the_range_are_left_out) {
  trace::NcuReport made = report();
  made.launches[0].nvtx.clear();
  EXPECT_EQ(read_call(made, kRange).value().launches.size(), 1U);
  EXPECT_EQ(read_call(made, "request_1_original").error().code(), ErrorCode::not_found);
}

TEST(CallMetrics, a_sum_that_lacks_a_part_is_not_given) {
  trace::NcuReport made = report();
  std::erase_if(made.launches[1].metrics, [](const trace::NcuMetric& metric) {
    return metric.name.starts_with("dram__bytes");
  });
  const CallMetrics call = read_call(made, kRange).value();
  EXPECT_FALSE(number_in(call, "roofline_metrics", "dram_bytes_sum"));
  EXPECT_FALSE(number_in(call, "roofline_metrics", "arithmetic_intensity"));
}

TEST(CallMetrics, names_the_version_of_the_profiler) {
  EXPECT_EQ(profiler_version(report()), "2025.3.1");
}

TEST(Changes, hold_what_both_calls_have) {
  const CallMetrics both = read_call(report(), kRange).value();
  trace::NcuReport one = report();
  one.launches.erase(one.launches.begin());
  const CallMetrics second = read_call(one, kRange).value();
  const auto changes = compare_calls(both, second);
  ASSERT_FALSE(changes.empty());
  EXPECT_EQ(changes[0].key, "compute_throughput_pct");
  EXPECT_EQ(changes[0].original, 74);
  EXPECT_EQ(changes[0].custom, 10);
}

}  // namespace
}  // namespace assay::metrics
