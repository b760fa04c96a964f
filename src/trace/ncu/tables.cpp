#include "trace/ncu/tables.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "trace/figures.hpp"
#include "trace/ncu/report.hpp"
#include "trace/ncu/summary.hpp"
#include "trace/ncu/work.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

Cell text_or_absent(std::string_view text) {
  return text.empty() ? Cell() : Cell(text);
}

/// "outer/inner", then start/end ranges after a plus; domains in front where not the default.
std::string ranges_text(const NcuLaunch& launch) {
  std::string path;
  for (const NcuNvtxRange& range : launch.nvtx) {
    if (!path.empty()) path += range.kind == NcuNvtxRange::Kind::push_pop ? "/" : " + ";
    if (!range.domain.empty()) path += range.domain + "@";
    path += range.name;
  }
  return path;
}

bool any_missing_flop(const NcuReport& report) {
  for (const NcuLaunch& launch : report.launches) {
    if (!measure_work(launch).flop()) return true;
  }
  return false;
}

}  // namespace

std::string dim3_text(const std::optional<std::array<std::uint64_t, 3>>& dim) {
  return dim ? fmt::format("{}x{}x{}", (*dim)[0], (*dim)[1], (*dim)[2]) : std::string();
}

Table ncu_kernel_table(const NcuReport& report) {
  Table table{.name = "kernels",
              .title = "Profiled kernels",
              .columns = {{"launch", "#", ColumnType::integer},
                          {"kernel", "Kernel"},
                          {"duration_ns", "Duration", ColumnType::duration},
                          {"compute_pct", "SM", ColumnType::percent},
                          {"memory_pct", "Memory", ColumnType::percent},
                          {"bound", "Bound"},
                          {"occupancy_pct", "Occup.", ColumnType::percent},
                          {"theoretical_occupancy_pct", "Theor.", ColumnType::percent},
                          {"occupancy_limiter", "Limited by"},
                          {"dram_bytes_per_s", "DRAM", ColumnType::bytes_per_second},
                          {"tensor_flop_per_s", "Tensor", ColumnType::flop_per_second},
                          {"cuda_flop_per_s", "CUDA cores", ColumnType::flop_per_second},
                          {"flop_per_byte", "FLOP/B", ColumnType::real}}};
  for (const NcuLaunch& launch : report.launches) {
    const LaunchSummary summary = summarize(launch);
    const LaunchWork& work = summary.work;
    table.add_row({launch.id, launch.name, work.duration_ns, summary.compute_pct,
                   summary.memory_pct, to_string(summary.bound), summary.achieved_occupancy_pct,
                   summary.theoretical_occupancy_pct, text_or_absent(summary.occupancy_limiter),
                   work.dram_bytes_per_s(), work.per_second(work.tensor_flop()),
                   work.per_second(work.cuda_flop()), work.intensity()});
  }
  table.notes.push_back(
      fmt::format("Bound: latency where neither throughput reaches {:.0f} % of peak, balanced "
                  "within {:.0f} points, else the higher.",
                  kLatencyBelow, kBalancedWithin));
  table.notes.emplace_back(
      "Units have decimal prefixes: 1 GB/s is 10^9 bytes a second. FLOP count a fused multiply-add "
      "as two.");
  if (any_missing_flop(report)) {
    table.notes.emplace_back(
        "Work shown as - was not counted: collect the set full, or the sections "
        "SpeedOfLight_HierarchicalTensorRooflineChart and SpeedOfLight_RooflineChart.");
  }
  return table;
}

Table ncu_launch_table(const NcuReport& report) {
  Table table{.name = "launches",
              .title = "Launches",
              .columns = {{"launch", "#", ColumnType::integer},
                          {"kernel", "Kernel"},
                          {"workload", "Kind"},
                          {"grid", "Grid"},
                          {"block", "Block"},
                          {"registers_per_thread", "Registers", ColumnType::integer},
                          {"shared_bytes_per_block", "Shared", ColumnType::bytes},
                          {"waves_per_sm", "Waves", ColumnType::real},
                          {"sm_hz", "SM clock", ColumnType::hertz},
                          {"compute_limiter", "Busiest SM part"},
                          {"memory_limiter", "Busiest memory part"},
                          {"device", "Device"},
                          {"nvtx", "NVTX ranges"}}};
  for (const NcuLaunch& launch : report.launches) {
    const LaunchSummary summary = summarize(launch);
    table.add_row(
        {launch.id, launch.name, to_string(launch.workload), text_or_absent(dim3_text(launch.grid)),
         text_or_absent(dim3_text(launch.block)), launch.number("launch__registers_per_thread"),
         launch.number("launch__shared_mem_per_block"),
         launch.number("launch__waves_per_multiprocessor"), summary.work.sm_hz,
         text_or_absent(summary.compute_limiter), text_or_absent(summary.memory_limiter),
         text_or_absent(device_name(report, launch)), text_or_absent(ranges_text(launch))});
  }
  return table;
}

Breakdown ncu_breakdown(const NcuReport& report) {
  Breakdown breakdown{.title = "Profiled time by kernel", .unit = "ns"};
  for (const NcuLaunch& launch : report.launches) {
    const LaunchSummary summary = summarize(launch);
    if (!summary.work.duration_ns) continue;
    breakdown.slices.push_back({.label = launch.name,
                                .group = std::string(to_string(summary.bound)),
                                .value = *summary.work.duration_ns});
  }
  return breakdown;
}

}  // namespace assay::trace
