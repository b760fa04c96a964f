#include "trace/ncu/analyze.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/result.hpp"
#include "trace/ncu/report.hpp"
#include "trace/ncu/source_view.hpp"
#include "trace/ncu/tables.hpp"
#include "trace/ncu/work.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

void add_facts(Report& out, const NcuReport& report) {
  out.facts.emplace_back("source", "Source", to_string(report.source));
  std::set<std::string> devices;
  double duration = 0;
  bool timed = false;
  for (const NcuLaunch& launch : report.launches) {
    if (const std::string name = device_name(report, launch); !name.empty()) devices.insert(name);
    if (const auto ns = launch.number("gpu__time_duration.sum")) {
      duration += *ns;
      timed = true;
    }
  }
  for (const std::string& device : devices) out.facts.emplace_back("device", "Device", device);
  for (const NcuVersion& version : report.session.versions) {
    if (version.provider.starts_with("Nsight Compute")) {
      out.facts.emplace_back("tool_version", "Nsight Compute", version.version);
    }
  }
  if (!report.session.command_line.empty()) {
    out.facts.emplace_back("command", "Command", report.session.command_line);
  }
  out.facts.emplace_back("launches", "Launches", report.launches.size(), ColumnType::integer);
  if (timed) {
    out.facts.emplace_back("profiled_ns", "Profiled time", duration, ColumnType::duration);
  }
}

/// Lines and instructions in full. Fails with `not_found` where nothing was counted by instruction.
Result<std::vector<Table>> ncu_source_tables(const NcuReport& report) {
  const auto instructions = instructions_of(report);
  if (std::ranges::all_of(instructions, &LaunchInstructions::empty)) {
    return fail(ErrorCode::not_found,
                "the report has no counters by instruction: collect the section SourceCounters, "
                "which the sets detailed and full have");
  }
  std::vector<Table> tables = {ncu_stall_table(report, instructions)};
  Table lines = ncu_line_table(report, instructions);
  if (!lines.rows.empty()) tables.push_back(std::move(lines));
  tables.push_back(ncu_instruction_table(report, instructions));
  if (tables.size() == 2) {
    tables.back().notes.emplace_back(
        "Source lines are not known: compile with -lineinfo, and with `ncu --import-source yes` "
        "their text is in the report.");
  }
  return tables;
}

/// A first look at where warps wait: lines where they are known, else instructions.
void add_source_tables(const NcuReport& report, const std::vector<LaunchInstructions>& instructions,
                       Report& out) {
  constexpr std::size_t kOfEachLaunch = 5;
  if (std::ranges::all_of(instructions, &LaunchInstructions::empty)) return;
  Table stalls = ncu_stall_table(report, instructions, kOfEachLaunch);
  if (!stalls.rows.empty()) out.tables.push_back(std::move(stalls));
  Table lines = ncu_line_table(report, instructions, kOfEachLaunch);
  const bool known = !lines.rows.empty();
  if (known) out.tables.push_back(std::move(lines));
  Table most = ncu_instruction_table(report, instructions, kOfEachLaunch);
  if (!known && !most.rows.empty()) out.tables.push_back(std::move(most));
}

}  // namespace

Result<Report> analyze_ncu(const NcuReport& report, std::string title, const NcuOptions& options) {
  Report out{.title = std::move(title)};
  add_facts(out, report);
  out.diagnostics.merge(report.diagnostics);
  if (options.list_sections) out.tables.push_back(ncu_section_list(report));
  for (const std::string& section : options.sections) {
    ASSAY_TRY(Table table, ncu_section_table(report, section, options.section_bodies));
    out.tables.push_back(std::move(table));
  }
  if (!options.metrics.empty()) {
    ASSAY_TRY(Table table, ncu_metric_table(report, options.metrics));
    out.tables.push_back(std::move(table));
  }
  if (options.source) {
    ASSAY_TRY(std::vector<Table> tables, ncu_source_tables(report));
    for (Table& table : tables) out.tables.push_back(std::move(table));
  }
  if (!out.tables.empty()) return out;

  out.tables.push_back(ncu_kernel_table(report));
  out.tables.push_back(ncu_launch_table(report));
  Table roofline = ncu_roofline_table(report);
  if (!roofline.rows.empty()) out.tables.push_back(std::move(roofline));
  const auto instructions = instructions_of(report);
  add_source_tables(report, instructions, out);
  out.findings = hot_spots(report, instructions);
  for (Finding& finding : ncu_findings(report, options.all_rules)) {
    out.findings.push_back(std::move(finding));
  }
  out.figures.rooflines = ncu_rooflines(report);
  out.figures.breakdown = ncu_breakdown(report);
  return out;
}

}  // namespace assay::trace
