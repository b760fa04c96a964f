#include "trace/ncu/sample_report.hpp"

#include <string>

#include "trace/ncu/report.hpp"

namespace assay::trace::testing {
namespace {

NcuLaunch gemm() {
  NcuLaunch launch{.id = 0,
                   .name = "nvjet_sm90_tst_256x128",
                   .function = "nvjet_sm90_tst_256x128",
                   .grid = {{2, 66, 1}},
                   .block = {{384, 1, 1}},
                   .compute_capability = "9.0",
                   .nvtx = {{.name = "forward"}, {.name = "attention"}}};
  const std::string wgmma = "sm__ops_path_tensor_op_hgmma_src_bf16_dst_fp32_sparsity_off";
  launch.metrics = {
      {.name = "gpu__time_duration.sum", .unit = "ns", .value = 200000.0},
      {.name = "sm__cycles_elapsed.avg.per_second", .unit = "Hz", .value = 1.5e9},
      {.name = "dram__bytes_read.sum", .unit = "byte", .value = 150e6},
      {.name = "dram__bytes_write.sum", .unit = "byte", .value = 50e6},
      {.name = "dram__bytes.sum.peak_sustained", .unit = "byte/cycle", .value = 1504.0},
      {.name = "dram__cycles_elapsed.avg.per_second", .unit = "Hz", .value = 3.2e9},
      {.name = wgmma + ".sum", .value = 137438953472.0},
      {.name = wgmma + ".sum.peak_sustained", .value = 540672.0},
      // The aggregate repeats the count, with the sparse peak.
      {.name = "sm__ops_path_tensor_src_bf16_dst_fp32.sum", .value = 137438953472.0},
      {.name = "sm__ops_path_tensor_src_bf16_dst_fp32.sum.peak_sustained", .value = 1081344.0},
      {.name = "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", .value = 0.0},
      {.name = "sm__throughput.avg.pct_of_peak_sustained_elapsed", .unit = "%", .value = 90.0},
      {.name = "breakdown:sm__throughput.avg.pct_of_peak_sustained_elapsed",
       .value = "sm__inst_executed.avg.pct_of_peak_sustained_elapsed,"
                "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed"},
      {.name = "sm__inst_executed.avg.pct_of_peak_sustained_elapsed", .unit = "%", .value = 12.0},
      {.name = "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed",
       .unit = "%",
       .value = 90.0},
      {.name = "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
       .unit = "%",
       .value = 45.0},
      {.name = "sm__maximum_warps_per_active_cycle_pct", .unit = "%", .value = 18.75},
      {.name = "sm__warps_active.avg.pct_of_peak_sustained_active", .unit = "%", .value = 14.6},
      {.name = "launch__occupancy_limit_registers", .unit = "block", .value = 1.0},
      {.name = "launch__occupancy_limit_shared_mem", .unit = "block", .value = 1.0},
      {.name = "launch__occupancy_limit_warps", .unit = "block", .value = 5.0},
      {.name = "launch__registers_per_thread", .unit = "register/thread", .value = 168},
      {.name = "device__attribute_display_name", .value = "NVIDIA H200"},
  };
  launch.sections = {0};
  launch.rules = {{.id = "HighPipeUtilization",
                   .name = "High Pipe Utilization",
                   .section_id = "ComputeWorkloadAnalysis",
                   .messages = {{.kind = NcuRuleKind::optimization,
                                 .title = "Very High Utilization",
                                 .text = "Tensor is the busiest pipeline.",
                                 .speedup = NcuSpeedup{NcuSpeedup::Scope::global, 12.5}},
                                {.kind = NcuRuleKind::ok, .text = "Otherwise fine."}},
                   .focus = {{"sm__pipe_tensor_cycles_active", 90.0, "use less"}}}};
  launch.sort_metrics();
  return launch;
}

NcuLaunch elementwise() {
  NcuLaunch launch{.id = 1,
                   .name = "void vectorized_elementwise_kernel<4>(int)",
                   .function = "vectorized_elementwise_kernel",
                   .grid = {{16384, 1, 1}},
                   .block = {{128, 1, 1}},
                   .compute_capability = "9.0"};
  launch.metrics = {
      {.name = "gpu__time_duration.sum", .unit = "ns", .value = 50000.0},
      {.name = "sm__cycles_elapsed.avg.per_second", .unit = "Hz", .value = 2.0e9},
      {.name = "smsp__cycles_elapsed.avg.per_second", .unit = "Hz", .value = 2.0e9},
      {.name = "dram__bytes.sum.per_second", .unit = "byte/s", .value = 4.0e12},
      {.name = "dram__bytes.sum.peak_sustained", .unit = "byte/cycle", .value = 1504.0},
      {.name = "dram__cycles_elapsed.avg.per_second", .unit = "Hz", .value = 3.2e9},
      {.name = "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum.per_cycle_elapsed",
       .unit = "inst/cycle",
       .value = 100.0},
      {.name = "sm__sass_thread_inst_executed_op_ffma_pred_on.sum.peak_sustained",
       .unit = "inst/cycle",
       .value = 16896.0},
      {.name = "sm__ops_path_tensor_src_fp64.sum", .value = 0.0},
      {.name = "sm__throughput.avg.pct_of_peak_sustained_elapsed", .unit = "%", .value = 10.0},
      {.name = "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
       .unit = "%",
       .value = 83.0},
      {.name = "sm__maximum_warps_per_active_cycle_pct", .unit = "%", .value = 100.0},
      {.name = "device__attribute_display_name", .value = "NVIDIA H200"},
  };
  launch.sections = {0};
  launch.sort_metrics();
  return launch;
}

}  // namespace

NcuReport sample_report() {
  NcuReport report;
  report.session.command_line = "ncu --set full ./program";
  report.session.versions = {{"Nsight Compute Target", "2025.3.1"}};
  report.sections = {
      {.id = "SpeedOfLight",
       .name = "GPU Speed Of Light Throughput",
       .order = 10,
       .header = {{"gpu__time_duration.sum", "Duration"},
                  {"sm__throughput.avg.pct_of_peak_sustained_elapsed", "Compute (SM) Throughput"}},
       .body = {{"dram__bytes.sum.per_second", "DRAM Bandwidth"}}}};
  report.launches = {gemm(), elementwise()};
  return report;
}

}  // namespace assay::trace::testing
