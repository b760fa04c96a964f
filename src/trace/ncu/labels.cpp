#include "trace/ncu/labels.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace assay::trace {
namespace {

struct Section {
  std::string_view name;
  std::string_view id;
};

struct Label {
  std::string_view section;
  std::string_view label;
  std::string_view metric;
};

// Both tables are as ncu 2025.1 and 2025.3 print them with --print-metric-name label-name.
constexpr std::array kSections = std::to_array<Section>({
    {"Compute Workload Analysis", "ComputeWorkloadAnalysis"},
    {"Instruction Statistics", "InstructionStats"},
    {"Launch Statistics", "LaunchStats"},
    {"Memory Workload Analysis", "MemoryWorkloadAnalysis"},
    {"Memory Workload Analysis Chart", "MemoryWorkloadAnalysis_Chart"},
    {"Memory Workload Analysis Tables", "MemoryWorkloadAnalysis_Tables"},
    {"NUMA Affinity", "NumaAffinity"},
    {"NVLink Tables", "Nvlink_Tables"},
    {"NVLink Topology", "Nvlink_Topology"},
    {"Occupancy", "Occupancy"},
    {"PM Sampling", "PmSampling"},
    {"Scheduler Statistics", "SchedulerStats"},
    {"Source Counters", "SourceCounters"},
    {"GPU Speed Of Light Throughput", "SpeedOfLight"},
    {"GPU Speed Of Light Hierarchical Roofline Chart (Double Precision)",
     "SpeedOfLight_HierarchicalDoubleRooflineChart"},
    {"GPU Speed Of Light Hierarchical Roofline Chart (Half Precision)",
     "SpeedOfLight_HierarchicalHalfRooflineChart"},
    {"GPU Speed Of Light Hierarchical Roofline Chart (Single Precision)",
     "SpeedOfLight_HierarchicalSingleRooflineChart"},
    {"GPU Speed Of Light Hierarchical Roofline Chart (Tensor Core)",
     "SpeedOfLight_HierarchicalTensorRooflineChart"},
    {"GPU Speed Of Light Roofline Chart", "SpeedOfLight_RooflineChart"},
    {"Warp State Statistics", "WarpStateStats"},
    {"GPU and Memory Workload Distribution", "WorkloadDistribution"},
});

// Left out, because 2025.1 and 2025.3 mean different metrics by them: "SM Busy", "Issue Slots
// Busy" (of active or of elapsed cycles) and the three "L2 Compression" labels.
constexpr std::array kLabels = std::to_array<Label>({
    {"ComputeWorkloadAnalysis", "Executed Ipc Active", "sm__inst_executed.avg.per_cycle_active"},
    {"ComputeWorkloadAnalysis", "Executed Ipc Elapsed", "sm__inst_executed.avg.per_cycle_elapsed"},
    {"ComputeWorkloadAnalysis", "Issued Ipc Active", "sm__inst_issued.avg.per_cycle_active"},
    {"InstructionStats", "Avg. Executed Instructions Per Scheduler", "smsp__inst_executed.avg"},
    {"InstructionStats", "Avg. Issued Instructions Per Scheduler", "smsp__inst_issued.avg"},
    {"InstructionStats", "Executed Instructions", "smsp__inst_executed.sum"},
    {"InstructionStats", "Issued Instructions", "smsp__inst_issued.sum"},
    {"LaunchStats", "# SMs", "launch__sm_count"},
    {"LaunchStats", "# TPCs", "launch__tpc_count"},
    {"LaunchStats", "Block Size", "launch__block_size"},
    {"LaunchStats", "Cluster Scheduling Policy", "launch__cluster_scheduling_policy"},
    {"LaunchStats", "Cluster Size", "launch__cluster_size"},
    {"LaunchStats", "Driver Shared Memory Per Block", "launch__shared_mem_per_block_driver"},
    {"LaunchStats", "Dynamic Shared Memory Per Block", "launch__shared_mem_per_block_dynamic"},
    {"LaunchStats", "Enabled TPC IDs", "launch__tpc_enabled"},
    {"LaunchStats", "Function Cache Configuration", "launch__func_cache_config"},
    {"LaunchStats", "Grid Size", "launch__grid_size"},
    {"LaunchStats", "Registers Per Thread", "launch__registers_per_thread"},
    {"LaunchStats", "Shared Memory Configuration Size", "launch__shared_mem_config_size"},
    {"LaunchStats", "Stack Size", "launch__stack_size"},
    {"LaunchStats", "Static Shared Memory Per Block", "launch__shared_mem_per_block_static"},
    {"LaunchStats", "Threads", "launch__thread_count"},
    {"LaunchStats", "Uses Green Context", "launch__uses_green_context"},
    {"LaunchStats", "Waves Per SM", "launch__waves_per_multiprocessor"},
    {"MemoryWorkloadAnalysis", "L1/TEX Hit Rate", "l1tex__t_sector_hit_rate.pct"},
    {"MemoryWorkloadAnalysis", "L2 Hit Rate", "lts__t_sector_hit_rate.pct"},
    {"MemoryWorkloadAnalysis", "L2 Persisting Size", "launch__persisting_l2_cache_size"},
    {"MemoryWorkloadAnalysis", "Local Memory Spilling Request Overhead",
     "derived__local_spilling_requests_pct"},
    {"MemoryWorkloadAnalysis", "Local Memory Spilling Requests",
     "derived__local_spilling_requests"},
    {"MemoryWorkloadAnalysis", "Max Bandwidth",
     "gpu__compute_memory_request_throughput.avg.pct_of_peak_sustained_elapsed"},
    {"MemoryWorkloadAnalysis", "Mem Busy",
     "gpu__compute_memory_access_throughput.avg.pct_of_peak_sustained_elapsed"},
    {"MemoryWorkloadAnalysis", "Mem Pipes Busy",
     "sm__memory_throughput.avg.pct_of_peak_sustained_elapsed"},
    {"MemoryWorkloadAnalysis", "Memory Throughput", "dram__bytes.sum.per_second"},
    {"Occupancy", "Achieved Active Warps Per SM", "sm__warps_active.avg.per_cycle_active"},
    {"Occupancy", "Achieved Occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active"},
    {"Occupancy", "Block Limit Barriers", "launch__occupancy_limit_barriers"},
    {"Occupancy", "Block Limit Registers", "launch__occupancy_limit_registers"},
    {"Occupancy", "Block Limit SM", "launch__occupancy_limit_blocks"},
    {"Occupancy", "Block Limit Shared Mem", "launch__occupancy_limit_shared_mem"},
    {"Occupancy", "Block Limit Warps", "launch__occupancy_limit_warps"},
    {"Occupancy", "Cluster Occupancy", "launch__occupancy_cluster_pct"},
    {"Occupancy", "Max Active Clusters", "launch__cluster_max_active"},
    {"Occupancy", "Max Cluster Size", "launch__cluster_max_potential_size"},
    {"Occupancy", "Overall GPU Occupancy", "launch__occupancy_cluster_gpu_pct"},
    {"Occupancy", "Theoretical Active Warps per SM", "sm__maximum_warps_avg_per_active_cycle"},
    {"Occupancy", "Theoretical Occupancy", "sm__maximum_warps_per_active_cycle_pct"},
    {"PmSampling", "# Pass Groups", "profiler__pmsampler_pass_groups"},
    {"PmSampling", "Dropped Samples", "profiler__pmsampler_dropped_samples"},
    {"PmSampling", "Maximum Buffer Size", "profiler__pmsampler_buffer_size_bytes"},
    {"SchedulerStats", "Active Warps Per Scheduler", "smsp__warps_active.avg.per_cycle_active"},
    {"SchedulerStats", "Eligible Warps Per Scheduler", "smsp__warps_eligible.avg.per_cycle_active"},
    {"SchedulerStats", "Issued Warp Per Scheduler", "smsp__issue_active.avg.per_cycle_active"},
    {"SchedulerStats", "No Eligible", "smsp__issue_inst0.avg.pct_of_peak_sustained_active"},
    {"SchedulerStats", "One or More Eligible",
     "smsp__issue_active.avg.pct_of_peak_sustained_active"},
    {"SourceCounters", "Avg. Divergent Branches",
     "smsp__sass_branch_targets_threads_divergent.avg"},
    {"SourceCounters", "Branch Efficiency",
     "smsp__sass_average_branch_targets_threads_uniform.pct"},
    {"SourceCounters", "Branch Instructions", "smsp__inst_executed_op_branch.sum"},
    {"SourceCounters", "Branch Instructions Ratio", "derived__smsp__inst_executed_op_branch_pct"},
    {"SpeedOfLight", "Compute (SM) Throughput", "sm__throughput.avg.pct_of_peak_sustained_elapsed"},
    {"SpeedOfLight", "DRAM Frequency", "dram__cycles_elapsed.avg.per_second"},
    {"SpeedOfLight", "DRAM Throughput", "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"},
    {"SpeedOfLight", "Duration", "gpu__time_duration.sum"},
    {"SpeedOfLight", "Elapsed Cycles", "gpc__cycles_elapsed.max"},
    {"SpeedOfLight", "L1/TEX Cache Throughput",
     "l1tex__throughput.avg.pct_of_peak_sustained_active"},
    {"SpeedOfLight", "L2 Cache Throughput", "lts__throughput.avg.pct_of_peak_sustained_elapsed"},
    {"SpeedOfLight", "Memory Throughput",
     "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"},
    {"SpeedOfLight", "SM Active Cycles", "sm__cycles_active.avg"},
    {"SpeedOfLight", "SM Frequency", "gpc__cycles_elapsed.avg.per_second"},
    {"SpeedOfLight_RooflineChart", "DRAM Bandwidth", "dram__bytes.sum.per_second"},
    {"SpeedOfLight_RooflineChart", "DRAM Frequency", "dram__cycles_elapsed.avg.per_second"},
    {"SpeedOfLight_RooflineChart", "Predicated-On DADD Thread Instructions Executed Per Cycle",
     "smsp__sass_thread_inst_executed_op_dadd_pred_on.sum.per_cycle_elapsed"},
    {"SpeedOfLight_RooflineChart", "Predicated-On DFMA Operations Per Cycle",
     "derived__smsp__sass_thread_inst_executed_op_dfma_pred_on_x2"},
    {"SpeedOfLight_RooflineChart", "Predicated-On DFMA Thread Instructions Executed Per Cycle",
     "smsp__sass_thread_inst_executed_op_dfma_pred_on.sum.per_cycle_elapsed"},
    {"SpeedOfLight_RooflineChart", "Predicated-On DMUL Thread Instructions Executed Per Cycle",
     "smsp__sass_thread_inst_executed_op_dmul_pred_on.sum.per_cycle_elapsed"},
    {"SpeedOfLight_RooflineChart", "Predicated-On FADD Thread Instructions Executed Per Cycle",
     "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum.per_cycle_elapsed"},
    {"SpeedOfLight_RooflineChart", "Predicated-On FFMA Operations Per Cycle",
     "derived__smsp__sass_thread_inst_executed_op_ffma_pred_on_x2"},
    {"SpeedOfLight_RooflineChart", "Predicated-On FFMA Thread Instructions Executed Per Cycle",
     "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum.per_cycle_elapsed"},
    {"SpeedOfLight_RooflineChart", "Predicated-On FMUL Thread Instructions Executed Per Cycle",
     "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum.per_cycle_elapsed"},
    {"SpeedOfLight_RooflineChart", "SM Frequency", "sm__cycles_elapsed.avg.per_second"},
    {"SpeedOfLight_RooflineChart", "Theoretical DRAM Bytes Accessible",
     "dram__bytes.sum.peak_sustained"},
    {"SpeedOfLight_RooflineChart", "Theoretical Predicated-On DFMA Operations",
     "derived__sm__sass_thread_inst_executed_op_dfma_pred_on_x2"},
    {"SpeedOfLight_RooflineChart", "Theoretical Predicated-On DFMA Thread Instructions Executed",
     "sm__sass_thread_inst_executed_op_dfma_pred_on.sum.peak_sustained"},
    {"SpeedOfLight_RooflineChart", "Theoretical Predicated-On FFMA Operations",
     "derived__sm__sass_thread_inst_executed_op_ffma_pred_on_x2"},
    {"SpeedOfLight_RooflineChart", "Theoretical Predicated-On FFMA Thread Instructions Executed",
     "sm__sass_thread_inst_executed_op_ffma_pred_on.sum.peak_sustained"},
    {"WarpStateStats", "Avg. Active Threads Per Warp",
     "smsp__thread_inst_executed_per_inst_executed.ratio"},
    {"WarpStateStats", "Avg. Not Predicated Off Threads Per Warp",
     "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio"},
    {"WarpStateStats", "Warp Cycles Per Executed Instruction",
     "smsp__average_warps_active_per_inst_executed.ratio"},
    {"WarpStateStats", "Warp Cycles Per Issued Instruction",
     "smsp__average_warp_latency_per_inst_issued.ratio"},
    {"WorkloadDistribution", "Average DRAM Active Cycles", "dram__cycles_active.avg"},
    {"WorkloadDistribution", "Average L1 Active Cycles", "l1tex__cycles_active.avg"},
    {"WorkloadDistribution", "Average L2 Active Cycles", "lts__cycles_active.avg"},
    {"WorkloadDistribution", "Average MC Channel Active Cycles", "mcc__cycles_active.avg"},
    {"WorkloadDistribution", "Average SM Active Cycles", "sm__cycles_active.avg"},
    {"WorkloadDistribution", "Average SMSP Active Cycles", "smsp__cycles_active.avg"},
    {"WorkloadDistribution", "Total DRAM Elapsed Cycles", "dram__cycles_elapsed.sum"},
    {"WorkloadDistribution", "Total L1 Elapsed Cycles", "l1tex__cycles_elapsed.sum"},
    {"WorkloadDistribution", "Total L2 Elapsed Cycles", "lts__cycles_elapsed.sum"},
    {"WorkloadDistribution", "Total MC Channel Elapsed Cycles", "mcc__cycles_elapsed.sum"},
    {"WorkloadDistribution", "Total SM Elapsed Cycles", "sm__cycles_elapsed.sum"},
    {"WorkloadDistribution", "Total SMSP Elapsed Cycles", "smsp__cycles_elapsed.sum"},
});

}  // namespace

std::string_view section_id_of(std::string_view display_name) {
  const auto found = std::ranges::find(kSections, display_name, &Section::name);
  return found == kSections.end() ? display_name : found->id;
}

std::string_view metric_of_label(std::string_view section_id, std::string_view label,
                                 std::string_view base_unit) {
  if (section_id == "PmSampling" && label == "Maximum Sampling Interval") {
    return base_unit == "cycle" ? "profiler__pmsampler_interval_cycles"
                                : "profiler__pmsampler_interval_time";
  }
  const auto found = std::ranges::find_if(kLabels, [&](const Label& entry) {
    return entry.section == section_id && entry.label == label;
  });
  return found == kLabels.end() ? std::string_view() : found->metric;
}

}  // namespace assay::trace
