#include "metrics/keys.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "metrics/launch_values.hpp"

namespace assay::metrics {
namespace {

/// The profiler's names for why a warp does not issue. The last state, `selected`, is no stall.
constexpr std::array<std::string_view, 18> kStalls{"long_scoreboard",
                                                   "short_scoreboard",
                                                   "barrier",
                                                   "not_selected",
                                                   "wait",
                                                   "math_pipe_throttle",
                                                   "lg_throttle",
                                                   "mio_throttle",
                                                   "tex_throttle",
                                                   "imc_miss",
                                                   "no_instruction",
                                                   "branch_resolving",
                                                   "dispatch_stall",
                                                   "drain",
                                                   "membar",
                                                   "sleeping",
                                                   "gmma",
                                                   "misc"};

template <std::size_t kIndex>
std::optional<double> stalled_by(const LaunchFacts& facts) {
  return values::stall_pct(facts, kStalls[kIndex]);
}

using enum Rule;

constexpr std::array kKeys = std::to_array<Key>({
    {"speed_of_light", "compute_throughput_pct", "%",
     "sm__throughput.avg.pct_of_peak_sustained_elapsed"},
    {"speed_of_light", "memory_throughput_pct", "%",
     "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"},
    {"speed_of_light", "sm_throughput_pct", "%",
     "sm__throughput.avg.pct_of_peak_sustained_elapsed"},
    {"speed_of_light", "compute_memory_throughput_pct", "%",
     "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"},
    {"speed_of_light", "dram_throughput_pct", "%",
     "dram__throughput.avg.pct_of_peak_sustained_elapsed, else gpu__dram_throughput", time_weighted,
     values::dram_pct},
    {"speed_of_light", "gpu_dram_throughput_pct", "%",
     "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"},
    {"detailed_metrics", "l1_hit_rate_pct", "%", "l1tex__t_sector_hit_rate.pct"},
    {"detailed_metrics", "l2_hit_rate_pct", "%", "lts__t_sector_hit_rate.pct"},
    {"detailed_metrics", "warp_occupancy_pct", "%",
     "sm__warps_active.avg.pct_of_peak_sustained_active"},
    {"detailed_metrics", "sm_active_cycles_pct", "%",
     "sm__cycles_active.avg.pct_of_peak_sustained_elapsed, else sm__cycles_active.avg / "
     "sm__cycles_elapsed.max",
     time_weighted, values::sm_active_pct},
    {"detailed_metrics", "instructions_per_cycle", "instructions/cycle",
     "sm__inst_executed.avg.per_cycle_active"},
    {"detailed_metrics", "waves_per_sm", "waves", "launch__waves_per_multiprocessor", longest},
    {"memory_metrics", "dram_avg_bandwidth_gb_s", "GB/s", "dram__bytes.avg.per_second",
     time_weighted, nullptr, nullptr, 1e9},
    {"memory_metrics", "dram_total_bandwidth_gb_s", "GB/s", "dram__bytes.sum.per_second",
     time_weighted, nullptr, nullptr, 1e9},
    {"memory_metrics", "dram_active_cycles_pct", "%",
     "dram__cycles_active.avg.pct_of_peak_sustained_elapsed"},
    {"memory_metrics", "l1_writeback_active_pct", "%",
     "l1tex__lsu_writeback_active.avg.pct_of_peak_sustained_elapsed"},
    {"memory_metrics", "l1_read_sectors_pct", "%",
     "l1tex__m_xbar2l1tex_read_sectors.avg.pct_of_peak_sustained_elapsed"},
    {"memory_metrics", "l2_throughput_pct", "%",
     "lts__throughput.avg.pct_of_peak_sustained_elapsed"},
    {"compute_metrics", "fma_pipe_utilization_pct", "%",
     "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active"},
    {"compute_metrics", "fp64_pipe_utilization_pct", "%",
     "sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_active"},
    {"compute_metrics", "alu_pipe_utilization_pct", "%",
     "sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active"},
    {"compute_metrics", "xu_pipe_utilization_pct", "%",
     "sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active"},
    {"compute_metrics", "tensor_pipe_utilization_pct", "%",
     "the larger of sm__inst_executed_pipe_tensor_op_hmma and _gmma, "
     "avg.pct_of_peak_sustained_active",
     time_weighted, values::tensor_instructions_pct},
    {"compute_metrics", "instructions_per_cycle", "instructions/cycle",
     "sm__inst_executed.avg.per_cycle_active"},
    {"compute_metrics", "occupancy_limit_blocks", "blocks", "launch__occupancy_limit_blocks",
     longest},
    {"compute_metrics", "occupancy_limit_registers", "blocks", "launch__occupancy_limit_registers",
     longest},
    {"compute_metrics", "occupancy_limit_shared_mem", "blocks",
     "launch__occupancy_limit_shared_mem", longest},
    {"compute_metrics", "occupancy_limit_warps", "blocks", "launch__occupancy_limit_warps",
     longest},
    {"compute_metrics", "registers_per_thread", "registers", "launch__registers_per_thread",
     longest},
    {"pipeline_metrics", "fma_pipe_active_pct", "%",
     "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_elapsed"},
    {"pipeline_metrics", "alu_pipe_active_pct", "%",
     "sm__pipe_alu_cycles_active.avg.pct_of_peak_sustained_elapsed"},
    {"pipeline_metrics", "tensor_pipe_active_pct", "%",
     "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed"},
    {"pipeline_metrics", "shared_pipe_active_pct", "%",
     "sm__pipe_shared_cycles_active.avg.pct_of_peak_sustained_elapsed"},
    {"pipeline_metrics", "fp64_pipe_active_pct", "%",
     "sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_elapsed"},
    {"pipeline_metrics", "sm_issue_active_pct", "%",
     "sm__issue_active.avg.pct_of_peak_sustained_elapsed"},
    {"occupancy_metrics", "occupancy_limit_registers", "blocks",
     "launch__occupancy_limit_registers", longest},
    {"occupancy_metrics", "occupancy_limit_shared_mem", "blocks",
     "launch__occupancy_limit_shared_mem", longest},
    {"occupancy_metrics", "occupancy_limit_warps", "blocks", "launch__occupancy_limit_warps",
     longest},
    {"occupancy_metrics", "occupancy_limit_blocks", "blocks", "launch__occupancy_limit_blocks",
     longest},
    {"occupancy_metrics", "waves_per_sm", "waves", "launch__waves_per_multiprocessor", longest},
    {"occupancy_metrics", "block_size", "threads", "launch__block_size", longest},
    {"occupancy_metrics", "grid_size", "blocks", "launch__grid_size", longest},
    {"occupancy_metrics", "shared_mem_per_block", "bytes", "launch__shared_mem_per_block", longest},
    {"occupancy_metrics", "registers_per_thread", "registers", "launch__registers_per_thread",
     longest},
    {"occupancy_metrics", "theoretical_occupancy_pct", "%",
     "sm__maximum_warps_per_active_cycle_pct"},
    {"occupancy_metrics", "warp_occupancy_pct", "%",
     "sm__warps_active.avg.pct_of_peak_sustained_active"},
    {"stall_metrics", "stall_long_scoreboard_pct", "%",
     "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio / "
     "smsp__average_warp_latency_per_inst_issued.ratio",
     time_weighted, stalled_by<0>},
    {"stall_metrics", "stall_short_scoreboard_pct", "%",
     "smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio / "
     "smsp__average_warp_latency_per_inst_issued.ratio",
     time_weighted, stalled_by<1>},
    {"stall_metrics", "stall_barrier_pct", "%",
     "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio / "
     "smsp__average_warp_latency_per_inst_issued.ratio",
     time_weighted, stalled_by<2>},
    {"stall_metrics", "stall_not_selected_pct", "%",
     "smsp__average_warps_issue_stalled_not_selected_per_issue_active.ratio / "
     "smsp__average_warp_latency_per_inst_issued.ratio",
     time_weighted, stalled_by<3>},
    {"stall_metrics", "stall_wait_pct", "%",
     "smsp__average_warps_issue_stalled_wait_per_issue_active.ratio / "
     "smsp__average_warp_latency_per_inst_issued.ratio",
     time_weighted, stalled_by<4>},
    {"stall_metrics", "stall_math_pipe_throttle_pct", "%",
     "smsp__average_warps_issue_stalled_math_pipe_throttle_per_issue_active.ratio / "
     "smsp__average_warp_latency_per_inst_issued.ratio",
     time_weighted, stalled_by<5>},
    {"stall_metrics", "stall_lg_throttle_pct", "%",
     "smsp__average_warps_issue_stalled_lg_throttle_per_issue_active.ratio / "
     "smsp__average_warp_latency_per_inst_issued.ratio",
     time_weighted, stalled_by<6>},
    {"stall_metrics", "stall_mio_throttle_pct", "%",
     "smsp__average_warps_issue_stalled_mio_throttle_per_issue_active.ratio / "
     "smsp__average_warp_latency_per_inst_issued.ratio",
     time_weighted, stalled_by<7>},
    {"stall_metrics", "stall_tex_throttle_pct", "%",
     "smsp__average_warps_issue_stalled_tex_throttle_per_issue_active.ratio / "
     "smsp__average_warp_latency_per_inst_issued.ratio",
     time_weighted, stalled_by<8>},
    {"stall_metrics", "stall_imc_miss_pct", "%",
     "smsp__average_warps_issue_stalled_imc_miss_per_issue_active.ratio / "
     "smsp__average_warp_latency_per_inst_issued.ratio",
     time_weighted, stalled_by<9>},
    {"stall_metrics", "stall_no_instruction_pct", "%",
     "smsp__average_warps_issue_stalled_no_instruction_per_issue_active.ratio / "
     "smsp__average_warp_latency_per_inst_issued.ratio",
     time_weighted, stalled_by<10>},
    {"stall_metrics", "stall_branch_resolving_pct", "%",
     "smsp__average_warps_issue_stalled_branch_resolving_per_issue_active.ratio / "
     "smsp__average_warp_latency_per_inst_issued.ratio",
     time_weighted, stalled_by<11>},
    {"stall_metrics", "stall_dispatch_stall_pct", "%",
     "smsp__average_warps_issue_stalled_dispatch_stall_per_issue_active.ratio / "
     "smsp__average_warp_latency_per_inst_issued.ratio",
     time_weighted, stalled_by<12>},
    {"stall_metrics", "stall_drain_pct", "%",
     "smsp__average_warps_issue_stalled_drain_per_issue_active.ratio / "
     "smsp__average_warp_latency_per_inst_issued.ratio",
     time_weighted, stalled_by<13>},
    {"stall_metrics", "stall_membar_pct", "%",
     "smsp__average_warps_issue_stalled_membar_per_issue_active.ratio / "
     "smsp__average_warp_latency_per_inst_issued.ratio",
     time_weighted, stalled_by<14>},
    {"stall_metrics", "stall_sleeping_pct", "%",
     "smsp__average_warps_issue_stalled_sleeping_per_issue_active.ratio / "
     "smsp__average_warp_latency_per_inst_issued.ratio",
     time_weighted, stalled_by<15>},
    {"stall_metrics", "stall_gmma_pct", "%",
     "smsp__average_warps_issue_stalled_gmma_per_issue_active.ratio / "
     "smsp__average_warp_latency_per_inst_issued.ratio",
     time_weighted, stalled_by<16>},
    {"stall_metrics", "stall_misc_pct", "%",
     "smsp__average_warps_issue_stalled_misc_per_issue_active.ratio / "
     "smsp__average_warp_latency_per_inst_issued.ratio",
     time_weighted, stalled_by<17>},
    {"scheduler_metrics", "warps_eligible_per_cycle", "warps/cycle",
     "smsp__warps_eligible.avg.per_cycle_active"},
    {"scheduler_metrics", "inst_issued_per_cycle", "instructions/cycle",
     "smsp__inst_issued.avg.per_cycle_active, else smsp__issue_active.avg.per_cycle_active",
     time_weighted, values::issued_per_cycle},
    {"scheduler_metrics", "issue_active_pct", "%",
     "smsp__issue_active.avg.pct_of_peak_sustained_active"},
    {"access_pattern_metrics", "l1_load_sectors_per_req", "sectors/request",
     "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum / "
     "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
     ratio, values::load_sectors, values::load_requests},
    {"access_pattern_metrics", "l1_store_sectors_per_req", "sectors/request",
     "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum / "
     "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
     ratio, values::store_sectors, values::store_requests},
    {"access_pattern_metrics", "l2_theoretical_sectors_global", "sectors",
     "memory_l2_theoretical_sectors_global", summed},
    {"access_pattern_metrics", "l2_theoretical_sectors_global_ideal", "sectors",
     "memory_l2_theoretical_sectors_global_ideal", summed},
    {"access_pattern_metrics", "l2_theoretical_sectors_global_excessive", "sectors",
     "derived__memory_l2_theoretical_sectors_global_excessive, else what is above the ideal",
     summed, values::excessive_sectors},
    {"access_pattern_metrics", "l2_excess_frac", "1",
     "l2_theoretical_sectors_global_excessive / l2_theoretical_sectors_global", ratio,
     values::excessive_sectors, values::sectors},
    {"access_pattern_metrics", "shared_bank_conflicts_load_sum", "conflicts",
     "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", summed},
    {"access_pattern_metrics", "shared_bank_conflicts_store_sum", "conflicts",
     "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", summed},
    {"roofline_metrics", "flop_count_total", "FLOP", "flop_count_tensor + flop_count_cuda", summed,
     values::flop},
    {"roofline_metrics", "flop_count_tensor", "FLOP", "sm__ops_path_tensor_*.sum", summed,
     values::tensor_flop},
    {"roofline_metrics", "flop_count_cuda", "FLOP",
     "smsp__sass_thread_inst_executed_op_{d,f,h}{add,mul,fma}_pred_on, without the moves that "
     "compilers make of HFMA2",
     summed, values::cuda_flop},
    {"roofline_metrics", "dram_bytes_sum", "bytes",
     "dram__bytes.sum, else dram__bytes_read.sum + dram__bytes_write.sum", summed,
     values::dram_bytes},
    {"roofline_metrics", "arithmetic_intensity", "FLOP/byte", "flop_count_total / dram_bytes_sum",
     ratio, values::flop, values::dram_bytes},
    {"roofline_metrics", "gflops", "GFLOP/s", "flop_count_total / gpu__time_duration.sum",
     time_weighted, values::gigaflops},
    {"roofline_metrics", "peak_gflops", "GFLOP/s",
     "peak_sustained of the instructions most used, at the clock of the launch", longest,
     values::peak_gigaflops},
    {"roofline_metrics", "dense_peak_gflops", "GFLOP/s",
     "the same of the fastest dense instructions of the format", longest,
     values::dense_peak_gigaflops},
    {"roofline_metrics", "dram_peak_gb_s", "GB/s",
     "dram__bytes.sum.peak_sustained * dram__cycles_elapsed.avg.per_second", longest,
     values::dram_peak_gb_s},
    {"roofline_metrics", "attainable_gflops", "GFLOP/s",
     "the smaller of peak_gflops and arithmetic_intensity * dram_peak_gb_s", longest,
     values::attainable_gigaflops},
    {"roofline_metrics", "of_attainable_pct", "%", "gflops / attainable_gflops", longest,
     values::of_attainable_pct},
    {"roofline_metrics", "sm_clock_ghz", "GHz", "sm__cycles_elapsed.avg.per_second", time_weighted,
     values::sm_clock_ghz},
    {"timing_metrics", "gpu_time_duration_sum", "ns", "gpu__time_duration.sum", summed},
    {"timing_metrics", "gpu_time_duration_seconds", "s", "gpu__time_duration.sum", summed,
     values::duration_seconds},
    {"timing_metrics", "gpc_cycles_elapsed_max", "cycles", "gpc__cycles_elapsed.max", summed},
});

}  // namespace

std::string_view to_string(Rule rule) {
  switch (rule) {
    case Rule::time_weighted:
      return "time-weighted mean";
    case Rule::summed:
      return "sum";
    case Rule::ratio:
      return "ratio of sums";
    case Rule::longest:
      return "of the longest launch";
  }
  return "";
}

std::span<const Key> keys() {
  return kKeys;
}

std::span<const std::string_view> stall_reasons() {
  return kStalls;
}

std::optional<double> value_of(const Key& key, const LaunchFacts& facts) {
  if (key.read == nullptr) {
    const auto value = facts.launch.number(key.metric);
    return value ? std::optional(*value / key.per) : std::nullopt;
  }
  const auto value = key.read(facts);
  if (key.divisor == nullptr || !value) return value;
  const auto divisor = key.divisor(facts);
  if (!divisor || *divisor == 0) return std::nullopt;
  return *value / *divisor;
}

}  // namespace assay::metrics
