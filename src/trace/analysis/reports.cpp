#include "trace/analysis/reports.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <expected>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "base/result.hpp"
#include "trace/analysis/analysis.hpp"
#include "trace/analysis/attribution.hpp"
#include "trace/analysis/busy.hpp"
#include "trace/analysis/communication.hpp"
#include "trace/analysis/drawing.hpp"
#include "trace/analysis/gaps.hpp"
#include "trace/analysis/graphs.hpp"
#include "trace/analysis/iterations.hpp"
#include "trace/analysis/launches.hpp"
#include "trace/analysis/op_class.hpp"
#include "trace/analysis/operators.hpp"
#include "trace/analysis/overview.hpp"
#include "trace/analysis/projection.hpp"
#include "trace/analysis/sums.hpp"
#include "trace/analysis/within.hpp"
#include "trace/events/events.hpp"
#include "trace/events/nsys_stats.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

using Tables = std::vector<Table>;

Result<Tables> kernels(Analysis& analysis, const ReportOptions& options) {
  return Tables{kernel_table(analysis.kernel_sums(options.naming), analysis.classifier())};
}

Result<Tables> op_classes(Analysis& analysis, const ReportOptions&) {
  // By full name whatever is shown: a bare identifier tells less.
  const auto& sums = analysis.kernel_sums(KernelNaming::demangled);
  return Tables{class_table(class_sums(sums, analysis.classifier()))};
}

Result<Tables> shapes(Analysis& analysis, const ReportOptions& options) {
  return Tables{shape_table(analysis.trace(), options.naming)};
}

Result<Tables> api(Analysis& analysis, const ReportOptions&) {
  return Tables{call_table(analysis.trace())};
}

Result<Tables> memory(Analysis& analysis, const ReportOptions&) {
  return Tables{copy_table(analysis.trace()), fill_table(analysis.trace())};
}

Result<Tables> ranges(Analysis& analysis, const ReportOptions&) {
  return Tables{range_table(analysis.trace())};
}

Result<Tables> range_kernels(Analysis& analysis, const ReportOptions&) {
  return Tables{coverage_table(analysis.coverage()),
                range_gpu_table(analysis.trace(), analysis.attribution()),
                range_kernel_table(analysis.trace(), analysis.attribution())};
}

Result<Tables> operators(Analysis& analysis, const ReportOptions&) {
  ASSAY_TRY(Table table, operator_table(analysis));
  return Tables{std::move(table)};
}

Result<Tables> range_projection(Analysis& analysis, const ReportOptions&) {
  return Tables{projection_table(analysis.trace(), analysis.attribution())};
}

Result<Tables> busy(Analysis& analysis, const ReportOptions&) {
  const auto devices = device_busy(analysis.trace());
  return Tables{busy_table(devices), concurrency_table(devices)};
}

Result<Tables> idle(Analysis& analysis, const ReportOptions&) {
  const GapReport gaps = find_gaps(analysis.trace());
  return Tables{gap_cause_table(gaps), gap_table(analysis.trace(), gaps)};
}

Result<Tables> launches(Analysis& analysis, const ReportOptions&) {
  return Tables{queue_table(queue_depths(analysis.trace())),
                launch_table(launch_sums(analysis.trace()))};
}

Result<Tables> collectives(Analysis& analysis, const ReportOptions&) {
  const Communication found = communication(analysis.trace(), analysis.classes());
  return Tables{communication_table(found), collective_table(found)};
}

Result<Tables> iterations(Analysis& analysis, const ReportOptions& options) {
  ASSAY_TRY(const Iterations found,
            find_iterations(analysis.trace(), analysis.attribution(), options.iteration));
  return Tables{iteration_table(analysis.trace(), found)};
}

Result<Tables> graphs(Analysis& analysis, const ReportOptions&) {
  return Tables{graph_table(graph_sums(analysis.trace()))};
}

Result<Tables> counters(Analysis& analysis, const ReportOptions&) {
  return Tables{counter_table(analysis.trace())};
}

struct Entry {
  ReportName name;
  Result<Tables> (*make)(Analysis&, const ReportOptions&);
};

constexpr std::array<Entry, 16> kEntries = {{
    {{"kernels", "kernels by total time, with their class"}, &kernels},
    {{"op-classes", "kernel time by operation class"}, &op_classes},
    {{"kernel-shapes", "kernels by name, grid and block"}, &shapes},
    {{"api", "CUDA API calls"}, &api},
    {{"memory", "memory copies by kind with bandwidth, memory sets"}, &memory},
    {{"ranges", "NVTX ranges and annotations by name, style and domain"}, &ranges},
    {{"range-kernels", "kernels within ranges by both rules, and how many each rule places"},
     &range_kernels},
    {{"operators", "kernel time by PyTorch operator and module, forward and backward apart"},
     &operators},
    {{"range-projection", "ranges as the GPUs saw them"}, &range_projection},
    {{"busy", "GPU busy and idle time, overlap of copies, concurrency"}, &busy},
    {{"idle", "stretches without work and their cause"}, &idle},
    {{"launches", "launch latency and queue depth"}, &launches},
    {{"communication", "NCCL and other communication, and how much of it is hidden"}, &collectives},
    {{"iterations", "runs through the program's loop"}, &iterations},
    {{"graphs", "CUDA graph launches"}, &graphs},
    {{"counters", "hardware counters the profiler attached to kernels"}, &counters},
}};

Result<const Entry*> entry_named(std::string_view name) {
  for (const Entry& entry : kEntries) {
    if (entry.name.name == name) return &entry;
  }
  std::string known = "all";
  for (const Entry& entry : kEntries) known += fmt::format(", {}", entry.name.name);
  return fail(ErrorCode::invalid_argument,
              fmt::format("there is no report '{}'; there are {}", name, known));
}

// More would not shorten an analysis much, and each holds columns of its own in memory.
constexpr std::size_t kMostThreads = 4;

Result<void> add_all(Analysis& analysis, const ReportOptions& options, Report& report) {
  std::array<Result<Tables>, kEntries.size()> made;
  in_parallel(made.size(), kMostThreads, [&](std::size_t turn) {
    const std::size_t i = made.size() - 1 - turn;  // the dearest stand last: those begin first
    made[i] = kEntries[i].make(analysis, options);
  });
  for (std::size_t i = 0; i < made.size(); ++i) {
    auto& tables = made[i];
    if (!tables) {
      const ReportName& report_name = kEntries[i].name;
      // Asked for everything: what the profile does not support is said, not a failure.
      report.findings.push_back({.kind = FindingKind::abstention,
                                 .name = std::string(report_name.name),
                                 .title = std::string(report_name.name),
                                 .message = tables.error().message()});
      continue;
    }
    std::ranges::move(*tables, std::back_inserter(report.tables));
  }
  return {};
}

Result<void> add_named(Analysis& analysis, const ReportOptions& options, Report& report) {
  for (const std::string& name : options.reports) {
    if (name == "all") return add_all(analysis, options, report);
    ASSAY_TRY(const Entry* entry, entry_named(name));
    ASSAY_TRY(Tables tables, entry->make(analysis, options));
    std::ranges::move(tables, std::back_inserter(report.tables));
  }
  return {};
}

Result<Report> report_on(Analysis& analysis, const ReportOptions& options) {
  Report report;
  describe_capture(analysis.trace(), report);
  if (options.reports.empty()) {
    add_overview(analysis, options, report);
  } else if (auto done = add_named(analysis, options, report); !done) {
    return std::unexpected(std::move(done).error());
  }
  add_profiler_warnings(analysis.trace(), report);
  limit_rows(report, options.limit);
  if (options.figures) report.figures = draw(analysis);
  return report;
}

}  // namespace

std::vector<ReportName> report_names() {
  std::vector<ReportName> names;
  names.reserve(kEntries.size());
  for (const Entry& entry : kEntries) names.push_back(entry.name);
  return names;
}

Result<Report> make_report(Analysis& analysis, const ReportOptions& options) {
  if (options.range.empty()) return report_on(analysis, options);
  ASSAY_TRY(const auto chosen, analysis.ranges_named(options.range));
  const Trace part = trace_within(analysis.trace(), chosen, options.rule);
  Analysis inside(part, analysis.classifier());
  ASSAY_TRY(Report report, report_on(inside, options));
  report.facts.emplace_back("range", "Inside range", options.range);
  report.facts.emplace_back(
      "range_rule", "By the rule",
      options.rule == RangeRule::both ? "same_thread or other_thread" : "same_thread");
  return report;
}

Result<Report> make_report(const StatsFile& stats, const OpClassifier& classifier,
                           const ReportOptions& options) {
  Report report{.title = stats.file, .diagnostics = stats.diagnostics};
  report.facts.push_back({"format", "Format", "nsys_stats", ColumnType::text});
  if (!options.range.empty()) {
    return fail(ErrorCode::invalid_argument,
                "sums of `nsys stats` hold no ranges: give the profile they were made from");
  }
  for (const StatsTable& table : stats.tables) {
    if (table.report == "cuda_gpu_kern_sum") {
      report.tables.push_back(kernel_table(table.rows, classifier));
      report.tables.push_back(class_table(class_sums(table.rows, classifier)));
    } else {
      report.tables.push_back(sum_table(table.report, table.rows));
    }
  }
  limit_rows(report, options.limit);
  return report;
}

void limit_rows(Report& report, std::size_t limit) {
  if (limit == 0) return;
  for (Table& table : report.tables) {
    if (table.rows.size() <= limit) continue;
    table.notes.push_back(fmt::format("The first {} of {} rows.", limit, table.rows.size()));
    table.rows.resize(limit);
  }
}

}  // namespace assay::trace
