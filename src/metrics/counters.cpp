#include "metrics/counters.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "metrics/keys.hpp"
#include "metrics/known_metrics.hpp"
#include "model/counter_value.hpp"
#include "model/device_metrics.hpp"
#include "model/io_contract.hpp"
#include "model/kernel.hpp"
#include "model/kernel_choice.hpp"
#include "model/runner_protocol.hpp"
#include "trace/ncu/report.hpp"

namespace assay::metrics {
namespace {

constexpr std::string_view kOfPeak = ".avg.pct_of_peak_sustained_elapsed";

/// What keys are made from that are not one metric, and what a launch's work is measured by.
constexpr std::array kFurther = std::to_array<std::string_view>({
    "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    "sm__cycles_active.avg.pct_of_peak_sustained_elapsed",
    "sm__inst_executed_pipe_tensor_op_hmma.avg.pct_of_peak_sustained_active",
    "sm__inst_executed_pipe_tensor_op_gmma.avg.pct_of_peak_sustained_active",
    "smsp__inst_issued.avg.per_cycle_active",
    "smsp__average_warp_latency_per_inst_issued.ratio",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "dram__bytes.sum",
    "dram__bytes.sum.peak_sustained",
    "dram__cycles_elapsed.avg.per_second",
    "sm__cycles_elapsed.avg.per_second",
    "sm__sass_thread_inst_executed_op_dfma_pred_on.sum.peak_sustained",
    "sm__sass_thread_inst_executed_op_ffma_pred_on.sum.peak_sustained",
    "sm__sass_thread_inst_executed_op_hfma_pred_on.sum.peak_sustained",
    "smsp__inst_executed.sum",
});

/// Instructions are counted by code that CUPTI adds to the kernel.
constexpr std::string_view kPatched = "smsp__sass_";
constexpr std::string_view kAllInstructions = "smsp__sass_thread_inst_executed.sum";
constexpr std::array kWidths = std::to_array<std::string_view>({"d", "f", "h"});
constexpr std::array kOperations = std::to_array<std::string_view>({"add", "mul", "fma"});

constexpr std::array kTensor =
    std::to_array<std::string_view>({"op_hgmma_src_bf16_dst_fp32_sparsity_off",
                                     "op_hgmma_src_bf16_dst_fp32_sparsity_on",
                                     "op_hgmma_src_fp16_sparsity_off",
                                     "op_hgmma_src_fp16_sparsity_on",
                                     "op_hgmma_src_tf32_dst_fp32_sparsity_off",
                                     "op_hgmma_src_tf32_dst_fp32_sparsity_on",
                                     "op_hmma_src_bf16_dst_fp32_sparsity_off",
                                     "op_hmma_src_bf16_dst_fp32_sparsity_on",
                                     "op_hmma_src_fp16_dst_fp16_sparsity_off",
                                     "op_hmma_src_fp16_dst_fp16_sparsity_on",
                                     "op_hmma_src_fp16_dst_fp32_sparsity_off",
                                     "op_hmma_src_fp16_dst_fp32_sparsity_on",
                                     "op_hmma_src_tf32_dst_fp32_sparsity_off",
                                     "op_hmma_src_tf32_dst_fp32_sparsity_on",
                                     "op_igmma_src_int8_sparsity_off",
                                     "op_igmma_src_int8_sparsity_on",
                                     "op_imma_src_int8_sparsity_off",
                                     "op_imma_src_int8_sparsity_on",
                                     "src_fp64",
                                     "src_fp8_sparsity_off",
                                     "src_fp8_sparsity_on"});

/// The parts of the two throughputs, as Nsight Compute lists them for Hopper. The highest is the
/// throughput.
constexpr std::array kComputeParts = std::to_array<std::string_view>(
    {"idc__request_cycles_active",
     "sm__inst_executed",
     "sm__inst_executed_pipe_adu",
     "sm__inst_executed_pipe_cbu_pred_on_any",
     "sm__inst_executed_pipe_ipa",
     "sm__inst_executed_pipe_lsu",
     "sm__inst_executed_pipe_tex",
     "sm__inst_executed_pipe_uniform",
     "sm__inst_executed_pipe_xu",
     "sm__instruction_throughput_internal_activity",
     "sm__issue_active",
     "sm__memory_throughput_internal_activity",
     "sm__mio2rf_writeback_active",
     "sm__mio_inst_issued",
     "sm__mio_pq_read_cycles_active",
     "sm__mio_pq_write_cycles_active",
     "sm__pipe_alu_cycles_active",
     "sm__pipe_fma_cycles_active",
     "sm__pipe_fmaheavy_cycles_active",
     "sm__pipe_fp64_cycles_active",
     "sm__pipe_shared_cycles_active",
     "sm__pipe_tensor_cycles_active",
     "sm__pipe_tensor_op_dmma_cycles_active",
     "sm__pipe_tensor_type_hmma_hgmma_qgmma_imma_igmma_bmma_bgmma_cycles_active",
     "sm__pipe_tma_cycles_active"});
constexpr std::array kMemoryParts =
    std::to_array<std::string_view>({"dram__cycles_active",
                                     "fbpa__dram_sectors",
                                     "gpu__compute_memory_access_throughput_internal_activity",
                                     "gpu__compute_memory_request_throughput_internal_activity",
                                     "l1tex__data_bank_reads",
                                     "l1tex__data_bank_writes",
                                     "l1tex__data_pipe_lsu_wavefronts",
                                     "l1tex__data_pipe_tex_wavefronts",
                                     "l1tex__f_wavefronts",
                                     "l1tex__lsu_writeback_active",
                                     "l1tex__lsuin_requests",
                                     "l1tex__m_l1tex2xbar_req_cycles_active",
                                     "l1tex__m_xbar2l1tex_read_sectors",
                                     "l1tex__m_xbar2l1tex_read_sectors_mem_dshared",
                                     "l1tex__tex_writeback_active",
                                     "l1tex__texin_sm2tex_req_cycles_active",
                                     "l1tex__tmain_requests",
                                     "lts__d_atomic_input_cycles_active",
                                     "lts__d_sectors",
                                     "lts__d_sectors_fill_device",
                                     "lts__d_sectors_fill_sysmem",
                                     "lts__lts2xbar_cycles_active",
                                     "lts__t_sectors",
                                     "lts__t_tag_requests",
                                     "lts__xbar2lts_cycles_active"});

/// Whether Nsight Compute alone can give it. A name without a rollup asks for all its rollups.
bool is_for_ncu(const std::string& metric) {
  return !metric.contains('.') || (is_profilers_own(metric) && !metric.starts_with(kPatched));
}

std::optional<std::array<std::uint64_t, 3>> extents(const std::optional<Dim3>& shape) {
  if (!shape) return std::nullopt;
  return std::array<std::uint64_t, 3>{shape->x, shape->y, shape->z};
}

const CounterValue* find(const Counted& counted, std::string_view metric) {
  const auto found = std::ranges::find(counted.values, metric, &CounterValue::metric);
  return found == counted.values.end() ? nullptr : &*found;
}

/// Whether instructions were counted: those of a kernel that ran are not none.
bool counted_instructions(const Counted& counted) {
  const auto* all = find(counted, kAllInstructions);
  return all != nullptr && all->value > 0;
}

/// Names the parts that were counted, as a report does.
void add_breakdown(trace::NcuLaunch& launch, const Counted& counted, std::string_view throughput,
                   std::span<const std::string_view> parts) {
  std::vector<std::string> names;
  for (const std::string_view part : parts) {
    std::string name = fmt::format("{}{}", part, kOfPeak);
    if (find(counted, name) != nullptr) names.push_back(std::move(name));
  }
  launch.metrics.push_back({.name = fmt::format("breakdown:{}{}", throughput, kOfPeak),
                            .unit = {},
                            .value = fmt::format("{}", fmt::join(names, ",")),
                            .instances = {}});
}

}  // namespace

std::optional<std::string> why_not_counted(const MetricsWanted& wanted, const KernelChoice& kernels,
                                           KernelType type) {
  if (type != KernelType::cuda) {
    return fmt::format("CUPTI counts raw CUDA kernels (cuda), and this one is {}", to_string(type));
  }
  if (!wanted.sets.empty() || !wanted.sections.empty()) {
    return "sets and sections are Nsight Compute's";
  }
  if (kernels.any()) return "Nsight Compute chooses among kernels";
  const auto own = std::ranges::find_if(wanted.metrics, is_for_ncu);
  if (own != wanted.metrics.end()) return fmt::format("only Nsight Compute gives {}", *own);
  return std::nullopt;
}

std::vector<std::string> usual_counters() {
  std::vector<std::string> names(kFurther.begin(), kFurther.end());
  for (const Key& key : keys()) {
    if (key.read == nullptr && !is_profilers_own(key.metric)) names.emplace_back(key.metric);
  }
  for (const std::string_view stall : stall_reasons()) {
    names.push_back(
        fmt::format("smsp__average_warps_issue_stalled_{}_per_issue_active.ratio", stall));
  }
  names.emplace_back(kAllInstructions);
  for (const std::string_view width : kWidths) {
    for (const std::string_view operation : kOperations) {
      names.push_back(
          fmt::format("{}thread_inst_executed_op_{}{}_pred_on.sum", kPatched, width, operation));
    }
  }
  for (const std::string_view path : kTensor) {
    names.push_back(fmt::format("sm__ops_path_tensor_{}.sum", path));
    names.push_back(fmt::format("sm__ops_path_tensor_{}.sum.peak_sustained", path));
  }
  for (const auto parts : {std::span<const std::string_view>(kComputeParts),
                           std::span<const std::string_view>(kMemoryParts)}) {
    for (const std::string_view part : parts) names.push_back(fmt::format("{}{}", part, kOfPeak));
  }
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
  return names;
}

trace::NcuReport report_of(const Counted& counted, CountedLaunch launch, const std::string& range) {
  trace::NcuLaunch read{.name = launch.kernel,
                        .function = std::move(launch.kernel),
                        .grid = extents(launch.grid),
                        .block = extents(launch.block),
                        .nvtx = {{.kind = trace::NcuNvtxRange::Kind::start_end, .name = range}}};
  const bool has_instructions = counted_instructions(counted);
  for (const CounterValue& value : counted.values) {
    if (!has_instructions && value.metric.starts_with(kPatched)) continue;
    read.metrics.push_back(
        {.name = value.metric, .unit = {}, .value = value.value, .instances = {}});
  }
  add_breakdown(read, counted, "sm__throughput", kComputeParts);
  add_breakdown(read, counted, "gpu__compute_memory_throughput", kMemoryParts);
  read.sort_metrics();
  trace::NcuReport report;
  report.launches.push_back(std::move(read));
  return report;
}

}  // namespace assay::metrics
