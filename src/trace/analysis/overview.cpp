#include "trace/analysis/overview.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "trace/analysis/analysis.hpp"
#include "trace/analysis/attribution.hpp"
#include "trace/analysis/busy.hpp"
#include "trace/analysis/communication.hpp"
#include "trace/analysis/gaps.hpp"
#include "trace/analysis/graphs.hpp"
#include "trace/analysis/reports.hpp"
#include "trace/analysis/summary.hpp"
#include "trace/analysis/sums.hpp"
#include "trace/events/events.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) {
    if (!out.empty()) out += ' ';
    out += word;
  }
  return out;
}

void add_filled(Table table, Report& report) {
  if (!table.rows.empty()) report.tables.push_back(std::move(table));
}

void note_idle(const std::vector<DeviceBusy>& devices, const GapReport& gaps, Report& report) {
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const DeviceBusy& device = devices[i];
    const double idle_pct =
        share_pct(static_cast<double>(device.idle()), static_cast<double>(device.span));
    if (idle_pct < 10) continue;
    const auto& causes = gaps.devices[i].by_cause;
    const auto worst = std::ranges::max_element(causes, {}, &CauseTotal::total);
    const auto cause = static_cast<GapCause>(worst - causes.begin());
    report.findings.push_back(
        {.kind = FindingKind::warning,
         .name = "gpu_idle",
         .title = "GPU idle",
         .message =
             fmt::format("GPU {} had no work for {}% of the time between its first and its "
                         "last; the most of it {}{}.",
                         device.device, idle_pct, because(cause),
                         cause == GapCause::host_elsewhere ? outside_in(gaps.devices[i]) : ""),
         .subject = fmt::format("GPU {}", device.device),
         .evidence = {{"idle_ns", "Idle", device.idle(), ColumnType::duration},
                      {"cause", "Cause", to_string(cause), ColumnType::text},
                      {"cause_ns", "By that cause", worst->total, ColumnType::duration}}});
  }
}

void note_not_recorded(std::uint64_t launched, Report& report) {
  report.findings.push_back(
      {.kind = FindingKind::warning,
       .name = "kernels_not_recorded",
       .title = "Kernels were not recorded",
       .message = fmt::format("The profile holds {} kernel {} and none of the kernels: what the "
                              "GPUs did, and when they were idle, cannot be told.",
                              launched, launched == 1 ? "launch" : "launches"),
       .evidence = {{"launches", "Launches", launched, ColumnType::integer}}});
}

void note_whole_graphs(const Trace& trace, Report& report) {
  if (trace.graphs.empty()) return;
  std::int64_t kernel_time = 0;
  for (std::size_t row = 0; row < trace.kernels.size(); ++row) {
    kernel_time += trace.kernels.duration(row);
  }
  const std::int64_t graph_time = whole_graph_time(trace);
  report.findings.push_back(
      {.kind = FindingKind::warning,
       .name = "graphs_traced_whole",
       .title = "Kernels inside CUDA graphs were not recorded",
       .message = fmt::format("CUDA graphs take {}% of the time of kernels and graphs. They were "
                              "traced whole: tables of kernels and classes are of the rest. {}",
                              time_share_pct(graph_time, graph_time + kernel_time), kRecordNodes),
       .evidence = {{"graph_launches", "Graph launches", trace.graphs.size(), ColumnType::integer},
                    {"graph_time_ns", "In graphs", graph_time, ColumnType::duration}}});
}

void note_exposed(const Communication& found, Report& report) {
  for (const DeviceCommunication& device : found.devices) {
    const double part = share_pct(static_cast<double>(device.exposed()),
                                  static_cast<double>(device.busy + device.compute));
    if (part < 5) continue;
    report.findings.push_back(
        {.kind = FindingKind::warning,
         .name = "communication_exposed",
         .title = "Communication is not hidden",
         .message = fmt::format("GPU {} communicates without computing for {}% of its kernel time.",
                                device.device, part),
         .subject = fmt::format("GPU {}", device.device),
         .evidence = {{"exposed_ns", "Exposed", device.exposed(), ColumnType::duration}}});
  }
}

void note_coverage(const Coverage& coverage, Report& report) {
  if (coverage.all.count == 0 || coverage.same_thread.count + coverage.other_thread.count == 0) {
    return;
  }
  const double outside = share_pct(static_cast<double>(coverage.outside.total),
                                   static_cast<double>(coverage.all.total));
  const double other = share_pct(static_cast<double>(coverage.other_thread.total),
                                 static_cast<double>(coverage.all.total));
  if (outside < 5 && other < 5) return;
  report.findings.push_back(
      {.kind = FindingKind::info,
       .name = "range_coverage",
       .title = "Kernels outside ranges",
       .message =
           fmt::format("{}% of kernel time was launched from another thread than that of the "
                       "range around it, and {}% in no range at all.",
                       other, outside),
       .evidence = {{"other_thread_ns", "From other threads", coverage.other_thread.total,
                     ColumnType::duration},
                    {"outside_ns", "In no range", coverage.outside.total, ColumnType::duration}}});
}

}  // namespace

void describe_capture(const Trace& trace, Report& report) {
  const Capture& capture = trace.capture;
  report.title = capture.file;
  report.diagnostics.merge(trace.diagnostics);
  const auto fact = [&](std::string name, std::string heading, Cell value, ColumnType type) {
    report.facts.push_back({std::move(name), std::move(heading), std::move(value), type});
  };
  fact("format", "Format", to_string(capture.format), ColumnType::text);
  fact("product", "Made by", capture.product, ColumnType::text);
  if (!capture.schema.empty()) fact("schema", "Schema", capture.schema, ColumnType::text);
  if (!capture.command.empty()) {
    fact("command", "Command", joined(capture.command), ColumnType::text);
  }
  for (const std::int64_t device : trace.devices()) {
    const auto gpu = std::ranges::find(capture.gpus, device, &Gpu::id);
    fact(fmt::format("gpu_{}", device), fmt::format("GPU {}", device),
         gpu == capture.gpus.end() ? "not recorded" : gpu->name, ColumnType::text);
  }
  const auto [first, last] = trace.extent();
  fact("extent_ns", "From first to last event", last - first, ColumnType::duration);
  fact("kernels", "Kernels", trace.kernels.size(), ColumnType::integer);
  fact("api_calls", "API calls", trace.calls.size(), ColumnType::integer);
  fact("copies", "Memory copies", trace.copies.size(), ColumnType::integer);
  fact("ranges", "Ranges", trace.ranges.size(), ColumnType::integer);
}

void add_profiler_warnings(const Trace& trace, Report& report) {
  for (const std::string& warning : trace.capture.warnings) {
    report.findings.push_back({.kind = FindingKind::warning,
                               .name = "profiler_warning",
                               .title = "The profiler's own warning",
                               .message = warning});
  }
}

void add_overview(Analysis& analysis, const ReportOptions& options, Report& report) {
  const Trace& trace = analysis.trace();
  add_filled(kernel_table(analysis.kernel_sums(options.naming), analysis.classifier()), report);
  const auto& kernels = analysis.kernel_sums(KernelNaming::demangled);
  add_filled(class_table(class_sums(kernels, analysis.classifier())), report);
  const auto devices = device_busy(trace);
  const GapReport gaps = find_gaps(trace, 0);
  add_filled(busy_table(devices), report);
  add_filled(gap_cause_table(gaps), report);
  add_filled(copy_table(trace), report);
  add_filled(call_table(trace), report);
  add_filled(range_table(trace), report);
  if (!trace.ranges.empty() && !trace.kernels.empty()) {
    add_filled(coverage_table(analysis.coverage()), report);
    note_coverage(analysis.coverage(), report);
  }
  const Communication found = communication(trace, analysis.classes());
  if (!found.collectives.empty()) add_filled(communication_table(found), report);
  if (const std::uint64_t launched = launches_not_recorded(trace)) {
    note_not_recorded(launched, report);
  } else {
    note_idle(devices, gaps, report);
  }
  note_whole_graphs(trace, report);
  note_exposed(found, report);
}

Table counter_table(const Trace& trace) {
  Table table{.name = "counters",
              .title = "Hardware counters by kernel",
              .columns = {{"metric", "Metric", ColumnType::text},
                          {"count", "Values", ColumnType::integer},
                          {"sum", "Sum", ColumnType::real},
                          {"name", "Kernel", ColumnType::text}}};
  std::map<std::pair<std::string_view, std::string_view>, std::pair<std::uint64_t, double>> sums;
  for (const Counter& counter : trace.counters) {
    auto& [count, sum] =
        sums[{trace.function_name(counter.function), trace.strings.view(counter.metric)}];
    ++count;
    sum += counter.value;
  }
  for (const auto& [key, value] : sums) {
    table.add_row({key.second, value.first, value.second, key.first});
  }
  return table;
}

Table sum_table(const std::string& name, std::span<const NamedSummary> rows) {
  Table table{.name = name, .title = name, .columns = summary_columns()};
  table.columns.push_back({"name", "Name", ColumnType::text});
  const std::int64_t whole = total_of(rows);
  for (const NamedSummary& row : rows) {
    std::vector<Cell> cells = summary_cells(row.summary, whole);
    cells.emplace_back(row.name);
    table.add_row(std::move(cells));
  }
  return table;
}

}  // namespace assay::trace
