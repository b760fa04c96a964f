#include "metrics/launch_values.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include <fmt/core.h>

#include "metrics/keys.hpp"
#include "trace/ncu/work.hpp"

namespace assay::metrics::values {
namespace {

constexpr double kGiga = 1e9;

using Number = std::optional<double>;

Number quotient(Number above, Number below) {
  if (!above || !below || *below == 0) return std::nullopt;
  return *above / *below;
}

Number times(Number value, double factor) {
  return value ? Number(*value * factor) : std::nullopt;
}

/// The arithmetic that most of the work is done in.
const trace::MathPath* main_path(const trace::LaunchWork& work) {
  const auto most = std::ranges::max_element(work.paths, {}, &trace::MathPath::flop);
  return most == work.paths.end() ? nullptr : &*most;
}

}  // namespace

Number dram_pct(const LaunchFacts& facts) {
  const auto own = facts.launch.number("dram__throughput.avg.pct_of_peak_sustained_elapsed");
  return own ? own : facts.launch.number("gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed");
}

Number sm_active_pct(const LaunchFacts& facts) {
  const auto own = facts.launch.number("sm__cycles_active.avg.pct_of_peak_sustained_elapsed");
  if (own) return own;
  return times(quotient(facts.launch.number("sm__cycles_active.avg"),
                        facts.launch.number("sm__cycles_elapsed.max")),
               100);
}

/// Hopper's warp-group instructions are counted apart.
Number tensor_instructions_pct(const LaunchFacts& facts) {
  const auto single =
      facts.launch.number("sm__inst_executed_pipe_tensor_op_hmma.avg.pct_of_peak_sustained_active");
  const auto group =
      facts.launch.number("sm__inst_executed_pipe_tensor_op_gmma.avg.pct_of_peak_sustained_active");
  if (!single || !group) return single ? single : group;
  return std::max(*single, *group);
}

/// A scheduler issues at most one instruction a cycle, so that both counters say the same.
Number issued_per_cycle(const LaunchFacts& facts) {
  const auto own = facts.launch.number("smsp__inst_issued.avg.per_cycle_active");
  return own ? own : facts.launch.number("smsp__issue_active.avg.per_cycle_active");
}

Number load_sectors(const LaunchFacts& facts) {
  return facts.launch.number("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum");
}
Number load_requests(const LaunchFacts& facts) {
  return facts.launch.number("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum");
}
Number store_sectors(const LaunchFacts& facts) {
  return facts.launch.number("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum");
}
Number store_requests(const LaunchFacts& facts) {
  return facts.launch.number("l1tex__t_requests_pipe_lsu_mem_global_op_st.sum");
}
Number sectors(const LaunchFacts& facts) {
  return facts.launch.number("memory_l2_theoretical_sectors_global");
}
Number ideal_sectors(const LaunchFacts& facts) {
  return facts.launch.number("memory_l2_theoretical_sectors_global_ideal");
}

Number excessive_sectors(const LaunchFacts& facts) {
  const auto own = facts.launch.number("derived__memory_l2_theoretical_sectors_global_excessive");
  if (own) return own;
  const auto all = sectors(facts);
  const auto ideal = ideal_sectors(facts);
  if (!all || !ideal) return std::nullopt;
  return std::max(*all - *ideal, 0.0);
}

Number flop(const LaunchFacts& facts) {
  return facts.summary.work.flop();
}
Number tensor_flop(const LaunchFacts& facts) {
  return facts.summary.work.tensor_flop();
}
Number cuda_flop(const LaunchFacts& facts) {
  return facts.summary.work.cuda_flop();
}
Number dram_bytes(const LaunchFacts& facts) {
  return facts.summary.work.dram_bytes;
}

Number gigaflops(const LaunchFacts& facts) {
  return times(facts.summary.work.per_second(facts.summary.work.flop()), 1 / kGiga);
}

Number peak_gigaflops(const LaunchFacts& facts) {
  const auto* path = main_path(facts.summary.work);
  return path == nullptr ? std::nullopt : times(path->peak_flop_per_s, 1 / kGiga);
}

Number dense_peak_gigaflops(const LaunchFacts& facts) {
  const auto* path = main_path(facts.summary.work);
  return path == nullptr ? std::nullopt : times(path->dense_flop_per_s, 1 / kGiga);
}

Number dram_peak_gb_s(const LaunchFacts& facts) {
  return times(facts.summary.work.dram_peak_bytes_per_s, 1 / kGiga);
}

Number attainable_gigaflops(const LaunchFacts& facts) {
  const auto peak = peak_gigaflops(facts);
  const auto intensity = facts.summary.work.intensity();
  const auto bandwidth = dram_peak_gb_s(facts);
  if (!peak || !intensity || !bandwidth) return std::nullopt;
  return std::min(*peak, *intensity * *bandwidth);
}

Number of_attainable_pct(const LaunchFacts& facts) {
  return times(quotient(gigaflops(facts), attainable_gigaflops(facts)), 100);
}

Number sm_clock_ghz(const LaunchFacts& facts) {
  return times(facts.summary.work.sm_hz, 1 / kGiga);
}

Number duration_seconds(const LaunchFacts& facts) {
  return times(facts.summary.work.duration_ns, 1 / kGiga);
}

/// Warps that wait for the reason over warps there are: both are given per issued instruction.
Number stall_pct(const LaunchFacts& facts, std::string_view reason) {
  const auto own =
      facts.launch.number(fmt::format("smsp__warp_issue_stalled_{}_per_warp_active.pct", reason));
  if (own) return own;
  return times(quotient(facts.launch.number(fmt::format(
                            "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio", reason)),
                        facts.launch.number("smsp__average_warp_latency_per_inst_issued.ratio")),
               100);
}

}  // namespace assay::metrics::values
