#include "trace/analysis/counted_picks.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "trace/analysis/ncu_name.hpp"
#include "trace/analysis/pick_kernels.hpp"
#include "trace/events/events.hpp"
#include "trace/figures.hpp"
#include "trace/ncu/merge.hpp"
#include "trace/ncu/report.hpp"
#include "trace/ncu/summary.hpp"
#include "trace/ncu/tables.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

std::string grid_text(const Shape& shape) {
  return fmt::format("{}x{}x{}", shape.grid[0], shape.grid[1], shape.grid[2]);
}

/// Why this is not the launch that was meant; empty where it is.
std::string difference(const KernelPick& pick, const NcuLaunch& launch) {
  if (!NcuName(pick.name).fits(launch.name)) {
    return fmt::format("ncu caught {} instead", launch.name);
  }
  const std::array<std::uint64_t, 3> grid = {pick.shape.grid[0], pick.shape.grid[1],
                                             pick.shape.grid[2]};
  if (launch.grid && *launch.grid != grid) {
    return fmt::format("ncu caught a launch with grid {} instead", dim3_text(launch.grid));
  }
  return {};
}

Table empty_table() {
  return {.name = "counted_kernels",
          .title = "The kernels that matter, and what Nsight Compute counted of them",
          .columns = {{"rank", "#", ColumnType::integer},
                      {"time_pct", "Time", ColumnType::percent},
                      {"of_kernel_pct", "Of kernel", ColumnType::percent},
                      {"launches", "Launches", ColumnType::integer},
                      {"grid", "Grid"},
                      {"timeline_ns", "Takes", ColumnType::duration},
                      {"counted_ns", "Under ncu", ColumnType::duration},
                      {"bound", "Bound by"},
                      {"compute_pct", "Compute", ColumnType::percent},
                      {"memory_pct", "Memory", ColumnType::percent},
                      {"occupancy_pct", "Occupancy", ColumnType::percent},
                      {"flop_per_byte", "FLOP/byte", ColumnType::real},
                      {"flop_per_s", "FLOP/s", ColumnType::flop_per_second},
                      {"remark", "Remark"},
                      {"name", "Name"}}};
}

std::vector<Cell> row_of(const CountedPick& picked, const std::string& remark) {
  const KernelPick& pick = picked.pick;
  std::vector<Cell> row = {pick.rank,  pick.time_pct,         pick.of_kernel_pct,
                           pick.count, grid_text(pick.shape), pick.duration};
  if (picked.report && !picked.report->launches.empty()) {
    const NcuLaunch& launch = picked.report->launches.front();
    const LaunchSummary summary = summarize(launch);
    row.insert(row.end(), {launch.number("gpu__time_duration.sum"), to_string(summary.bound),
                           summary.compute_pct, summary.memory_pct, summary.achieved_occupancy_pct,
                           summary.work.intensity(), summary.work.per_second(summary.work.flop())});
  } else {
    row.insert(row.end(), 7, Cell());
  }
  row.insert(row.end(), {remark, pick.name});
  return row;
}

}  // namespace

void add_counted(const std::vector<CountedPick>& picks, Report& report) {
  Table table = empty_table();
  std::vector<NcuReport> reports;
  for (const CountedPick& picked : picks) {
    std::string remark = picked.failure;
    if (picked.report && picked.report->launches.empty()) remark = "ncu profiled no launch";
    if (picked.report && !picked.report->launches.empty()) {
      remark = difference(picked.pick, picked.report->launches.front());
      reports.push_back(*picked.report);
    }
    if (!remark.empty()) {
      report.findings.push_back({.kind = FindingKind::warning,
                                 .name = "not_counted_as_meant",
                                 .title = "Not counted as meant",
                                 .message = fmt::format("Kernel {}, grid {}: {}.", picked.pick.rank,
                                                        grid_text(picked.pick.shape), remark),
                                 .subject = picked.pick.name});
    }
    table.add_row(row_of(picked, remark));
  }
  table.notes.emplace_back(
      "Takes is the launch on the timeline; under ncu it starts from an empty cache, so it may "
      "take "
      "longer.");
  report.tables.insert(report.tables.begin(), std::move(table));
  if (reports.empty()) return;
  const NcuReport merged = merge_reports(std::move(reports));
  for (Finding& finding : ncu_findings(merged, false))
    report.findings.push_back(std::move(finding));
  for (Table& more : std::vector<Table>{ncu_roofline_table(merged), ncu_launch_table(merged)}) {
    more.name = "counted_" + more.name;
    report.tables.push_back(std::move(more));
  }
  for (Roofline& roofline : ncu_rooflines(merged)) {
    report.figures.rooflines.push_back(std::move(roofline));
  }
}

}  // namespace assay::trace
