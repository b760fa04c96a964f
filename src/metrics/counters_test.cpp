#include "metrics/counters.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "metrics/call_metrics.hpp"
#include "metrics/keys.hpp"
#include "metrics/known_metrics.hpp"
#include "model/device_metrics.hpp"
#include "model/io_contract.hpp"
#include "model/kernel.hpp"
#include "model/kernel_choice.hpp"
#include "model/runner_protocol.hpp"

namespace assay::metrics {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Optional;

constexpr const char* kRange = "request_1_custom";

/// A copy of 400 MB in 100 us.
Counted copy() {
  return {.chip = "GH100",
          .passes = 20,
          .values = {{"gpu__time_duration.sum", 100e3},
                     {"sm__throughput.avg.pct_of_peak_sustained_elapsed", 10},
                     {"gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", 92},
                     {"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", 92},
                     {"dram__cycles_active.avg.pct_of_peak_sustained_elapsed", 92},
                     {"lts__t_sectors.avg.pct_of_peak_sustained_elapsed", 40},
                     {"sm__inst_executed.avg.pct_of_peak_sustained_elapsed", 10},
                     {"dram__bytes.sum", 400e6},
                     {"smsp__sass_thread_inst_executed.sum", 1e6},
                     {"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", 0},
                     {"launch__grid_size", 1024},
                     {"launch__occupancy_limit_warps", 8},
                     {"sm__maximum_warps_per_active_cycle_pct", 100}},
          .missing = {}};
}

CallMetrics read(const Counted& counted) {
  return read_call(report_of(counted, {.kernel = "copy", .grid = Dim3{1024, 1, 1}}, kRange), kRange)
      .value();
}

TEST(Counters, give_the_same_groups_and_findings_as_a_report) {
  const CallMetrics call = read(copy());
  EXPECT_THAT(number_in(call, "timing_metrics", "gpu_time_duration_sum"), Optional(100e3));
  EXPECT_THAT(number_in(call, "roofline_metrics", "dram_bytes_sum"), Optional(400e6));
  EXPECT_THAT(number_in(call, "occupancy_metrics", "grid_size"), Optional(1024));
  ASSERT_EQ(call.launches.size(), 1U);
  EXPECT_EQ(call.launches[0].kernel, "copy");
  EXPECT_EQ(call.launches[0].grid, "1024 x 1 x 1");
  EXPECT_EQ(call.launches[0].block, "");
  ASSERT_FALSE(call.findings.empty());
  EXPECT_EQ(call.findings[0].rule, "memory_bound");
}

TEST(Counters, name_the_busiest_part_behind_each_throughput) {
  const CallMetrics call = read(copy());
  const MetricGroup& light = call.groups[0];
  ASSERT_EQ(light.name, "speed_of_light");
  std::vector<std::string> words;
  for (const MetricValue& value : light.values) {
    if (const auto* word = std::get_if<std::string>(&value.value)) words.push_back(*word);
  }
  EXPECT_THAT(words, testing::ElementsAre("sm__inst_executed", "dram__cycles_active"));
}

TEST(Counters, count_no_work_where_instructions_were_not_counted) {
  Counted counted = copy();
  EXPECT_THAT(number_in(read(counted), "roofline_metrics", "flop_count_cuda"), Optional(0));
  for (CounterValue& value : counted.values) {
    if (value.metric == "smsp__sass_thread_inst_executed.sum") value.value = 0;
  }
  EXPECT_EQ(number_in(read(counted), "roofline_metrics", "flop_count_cuda"), std::nullopt);
}

TEST(Counters, are_those_that_the_keys_are_made_from) {
  const auto usual = usual_counters();
  for (const Key& key : keys()) {
    if (key.read != nullptr || is_profilers_own(key.metric)) continue;
    EXPECT_THAT(usual, Contains(key.metric));
  }
  EXPECT_TRUE(std::ranges::is_sorted(usual));
  EXPECT_EQ(std::ranges::adjacent_find(usual), usual.end());
  for (const std::string& name : usual) EXPECT_TRUE(is_profiler_name(name)) << name;
}

TEST(Counters, are_counted_for_raw_kernels_and_what_cupti_has) {
  const auto why = [](const MetricsWanted& wanted, const KernelChoice& kernels = {},
                      KernelType type = KernelType::cuda) {
    return why_not_counted(wanted, kernels, type).value_or("");
  };
  EXPECT_EQ(why({}), "");
  EXPECT_EQ(why({.metrics = {"dram__bytes.sum"}}), "");
  EXPECT_THAT(why({}, {}, KernelType::triton), HasSubstr("this one is triton"));
  EXPECT_THAT(why({.sections = {"Occupancy"}}), HasSubstr("sections"));
  EXPECT_THAT(why({.sets = {"full"}}), HasSubstr("sets"));
  EXPECT_THAT(why({}, {.name = "gemm"}), HasSubstr("chooses"));
  EXPECT_THAT(why({.metrics = {"launch__grid_size"}}), HasSubstr("launch__grid_size"));
  EXPECT_THAT(why({.metrics = {"dram__bytes"}}), HasSubstr("dram__bytes"));
}

}  // namespace
}  // namespace assay::metrics
