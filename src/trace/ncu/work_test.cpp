#include "trace/ncu/work.hpp"

#include <string>

#include <gtest/gtest.h>

#include "trace/ncu/report.hpp"
#include "trace/ncu/sample_report.hpp"
#include "trace/ncu/summary.hpp"

namespace assay::trace {
namespace {

using testing::sample_report;

TEST(LaunchWork, counts_tensor_operations_once_and_against_the_dense_peak) {
  const LaunchWork work = measure_work(sample_report().launches[0]);
  ASSERT_EQ(work.paths.size(), 1U);
  EXPECT_EQ(work.paths[0].name, "bf16 wgmma");
  EXPECT_EQ(work.tensor_flop(), 2.0 * 4096 * 4096 * 4096);
  EXPECT_EQ(work.cuda_flop(), 0.0);
  EXPECT_EQ(work.paths[0].peak_flop_per_s, 540672.0 * 1.5e9);
  EXPECT_EQ(work.paths[0].dense_flop_per_s, 540672.0 * 1.5e9);
}

TEST(LaunchWork, has_intensity_from_bytes_of_device_memory) {
  const LaunchWork work = measure_work(sample_report().launches[0]);
  EXPECT_EQ(work.dram_bytes, 200e6);
  EXPECT_DOUBLE_EQ(work.dram_bytes_per_s().value_or(0), 1e12);
  EXPECT_DOUBLE_EQ(work.dram_peak_bytes_per_s.value_or(0), 1504 * 3.2e9);
  EXPECT_DOUBLE_EQ(work.intensity().value_or(0), 137438953472.0 / 200e6);
}

TEST(LaunchWork, is_found_from_rates_where_totals_were_not_collected) {
  const LaunchWork work = measure_work(sample_report().launches[1]);
  EXPECT_DOUBLE_EQ(work.cuda_flop().value_or(0), 100.0 * 2e9 * 50e-6);
  EXPECT_DOUBLE_EQ(work.dram_bytes.value_or(0), 4e12 * 50e-6);
  ASSERT_EQ(work.paths.size(), 1U);
  EXPECT_EQ(work.paths[0].name, "fp32 CUDA cores");
  EXPECT_DOUBLE_EQ(work.paths[0].peak_flop_per_s.value_or(0), 2 * 16896 * 2e9);
}

TEST(LaunchWork, is_absent_where_nothing_was_counted) {
  NcuLaunch launch;
  launch.metrics = {{.name = "flop_count_hp.sum"}};
  const LaunchWork work = measure_work(launch);
  EXPECT_FALSE(work.flop());
  EXPECT_FALSE(work.intensity());
  EXPECT_FALSE(work.dram_bytes_per_s());
}

TEST(LaunchWork, does_not_add_half_a_sum) {
  NcuLaunch launch;
  launch.metrics = {{.name = "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", .value = 10.0}};
  EXPECT_EQ(measure_work(launch).cuda_flop(), 10.0);
  EXPECT_FALSE(measure_work(launch).flop());
  launch.metrics.push_back({.name = "sm__inst_executed_pipe_tensor.sum", .value = 0.0});
  launch.sort_metrics();
  EXPECT_EQ(measure_work(launch).flop(), 10.0);
}

TEST(LaunchWork, counts_no_moves_that_a_compiler_writes_as_half_precision_products) {
  const auto launch = [](double ffma, double hfma, double hadd) {
    NcuLaunch out;
    const std::string counter = "smsp__sass_thread_inst_executed_op_";
    out.metrics = {{.name = counter + "ffma_pred_on.sum", .value = ffma},
                   {.name = counter + "hfma_pred_on.sum", .value = hfma},
                   {.name = counter + "hadd_pred_on.sum", .value = hadd}};
    out.sort_metrics();
    return out;
  };
  EXPECT_EQ(measure_work(launch(1000, 100, 0)).cuda_flop(), 2000.0) << "HFMA2 as a copy";
  EXPECT_EQ(measure_work(launch(1000, 100, 50)).cuda_flop(), 2000.0 + 400 + 100)
      << "a kernel that adds in half precision computes in it";
  EXPECT_EQ(measure_work(launch(10, 1000, 0)).cuda_flop(), 20.0 + 4000)
      << "most of the work is no move";
}

TEST(LaunchWork, keeps_sparse_and_integer_products_apart) {
  NcuLaunch launch;
  const std::string tensor = "sm__ops_path_tensor_";
  launch.metrics = {
      {.name = tensor + "op_hmma_src_fp16_dst_fp32_sparsity_on.sum", .value = 40.0},
      {.name = tensor + "op_hmma_src_fp16_dst_fp32_sparsity_off.sum", .value = 20.0},
      {.name = tensor + "op_hmma_src_fp16_dst_fp32_sparsity_off.sum.peak_sustained_elapsed"
                        ".per_second",
       .value = 100.0},
      {.name = tensor + "op_hgmma_src_fp16_sparsity_off.sum.peak_sustained_elapsed.per_second",
       .value = 150.0},
      {.name = tensor + "op_igmma_src_int8_sparsity_off.sum", .value = 7.0},
  };
  launch.sort_metrics();
  const LaunchWork work = measure_work(launch);
  ASSERT_EQ(work.paths.size(), 3U);
  EXPECT_EQ(work.tensor_flop(), 60.0);
  EXPECT_EQ(work.paths[0].name, "fp16 mma.sync");
  EXPECT_EQ(work.paths[0].peak_flop_per_s, 100.0);
  EXPECT_EQ(work.paths[0].dense_flop_per_s, 150.0);
  EXPECT_EQ(work.paths[1].name, "fp16 mma.sync sparse");
  EXPECT_TRUE(work.paths[1].sparse);
  EXPECT_FALSE(work.paths[2].floating);
}

TEST(LaunchWork, a_constant_moved_in_every_thread_is_no_work) {
  // y = 2 * x + 1 over four million floats, as an H200 counted it.
  const std::string counter = "smsp__sass_thread_inst_executed_op_";
  NcuLaunch launch{.grid = {{16384, 1, 1}}, .block = {{256, 1, 1}}};
  launch.metrics = {{.name = counter + "ffma_pred_on.sum", .value = 4194304.0},
                    {.name = counter + "hfma_pred_on.sum", .value = 4194304.0}};
  launch.sort_metrics();
  EXPECT_EQ(measure_work(launch).cuda_flop(), 8388608.0);
  launch.grid = {{16, 1, 1}};  // a thousand in each thread are work
  EXPECT_EQ(measure_work(launch).cuda_flop(), 8388608.0 + 4 * 4194304.0);
}

TEST(LaunchWork, takes_peaks_from_the_device_table_where_the_report_has_none) {
  NcuLaunch launch;
  launch.metrics = {{.name = "device__attribute_display_name", .value = "NVIDIA H200"},
                    {.name = "gpc__cycles_elapsed.avg.per_second", .value = 1.5e9},
                    {.name = "sm__ops_path_tensor_src_bf16_dst_fp32.sum", .value = 5.0}};
  launch.sort_metrics();
  const LaunchWork work = measure_work(launch);
  EXPECT_EQ(work.paths.at(0).peak_flop_per_s, 4096.0 * 132 * 1.5e9);
  EXPECT_EQ(work.dram_peak_bytes_per_s, 4.8e12);
}

TEST(LaunchSummary, names_every_resource_that_limits_occupancy) {
  const NcuReport report = sample_report();
  EXPECT_EQ(summarize(report.launches[0]).occupancy_limiter, "registers, shared memory");
  EXPECT_EQ(summarize(report.launches[1]).occupancy_limiter, "none");
}

TEST(LaunchSummary, names_the_busiest_part_behind_a_throughput) {
  const LaunchSummary summary = summarize(sample_report().launches[0]);
  EXPECT_EQ(summary.compute_limiter, "sm__pipe_tensor_cycles_active");
  EXPECT_EQ(summary.memory_limiter, "");
}

TEST(LaunchSummary, tells_bounds_apart) {
  EXPECT_EQ(summarize(sample_report().launches[0]).bound, Bound::compute);
  EXPECT_EQ(summarize(sample_report().launches[1]).bound, Bound::memory);
  const auto bound = [](double compute, double memory) {
    NcuLaunch launch;
    launch.metrics = {
        {.name = "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
         .value = memory},
        {.name = "sm__throughput.avg.pct_of_peak_sustained_elapsed", .value = compute}};
    launch.sort_metrics();
    return summarize(launch).bound;
  };
  EXPECT_EQ(bound(70, 66), Bound::balanced);
  EXPECT_EQ(bound(30, 59), Bound::latency);
  EXPECT_EQ(summarize(NcuLaunch{}).bound, Bound::unknown);
}

TEST(DeviceName, comes_from_the_session_where_the_launch_does_not_say) {
  NcuReport report;
  report.launches = {{.device = 1}};
  report.session.devices = {{.id = 0, .name = "first"}, {.id = 1, .name = "second"}};
  EXPECT_EQ(device_name(report, report.launches[0]), "second");
  report.session.devices.clear();
  EXPECT_EQ(device_name(report, report.launches[0]), "");
}

}  // namespace
}  // namespace assay::trace
