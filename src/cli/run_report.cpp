#include "cli/run_report.hpp"

#include <algorithm>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "cli/mfu_flags.hpp"
#include "cli/profile_input.hpp"
#include "trace/analysis/analysis.hpp"
#include "trace/analysis/busy.hpp"
#include "trace/analysis/counted_picks.hpp"
#include "trace/analysis/op_class.hpp"
#include "trace/analysis/reports.hpp"
#include "trace/analysis/stages.hpp"
#include "trace/events/events.hpp"
#include "trace/events/nsys_sqlite.hpp"
#include "trace/mfu.hpp"
#include "trace/render.hpp"
#include "trace/table.hpp"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

/// A row for each process of which the tracer left a file; no rows where there was one alone.
trace::Table process_table(const fs::path& folder) {
  using trace::ColumnType;
  trace::Table table{.name = "processes",
                     .title = "Processes of the run",
                     .columns = {{"process", "Process"},
                                 {"kernels", "Kernels", ColumnType::integer},
                                 {"kernel_ns", "Kernel time", ColumnType::duration},
                                 {"busy_ns", "GPU busy", ColumnType::duration},
                                 {"busy_pct", "Of its span", ColumnType::percent},
                                 {"first_ns", "First work", ColumnType::duration}}};
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder / "tracer", error)) {
    if (entry.path().extension() == ".sqlite") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  for (const fs::path& file : files) {
    const auto trace = trace::read_nsys_sqlite(file, {});
    if (!trace) continue;
    std::int64_t kernels = 0;
    std::int64_t sum = 0;
    std::int64_t busy = 0;
    std::int64_t span = 0;
    for (const trace::DeviceBusy& device : trace::device_busy(*trace)) {
      kernels += static_cast<std::int64_t>(device.kernels);
      sum += device.kernel_sum;
      busy += device.busy;
      span += device.span;
    }
    trace::Cell first;
    if (!trace->kernels.empty()) first = *std::ranges::min_element(trace->kernels.start);
    table.add_row({file.stem().string(), kernels, sum, busy,
                   span == 0 ? 0.0 : 100.0 * static_cast<double>(busy) / static_cast<double>(span),
                   first});
  }
  return table;
}

std::string told(const trace::Report& report) {
  trace::Report tables;
  for (const trace::Table& table : report.tables) {
    if (table.name == "stages" || table.name == "mfu" || table.name == "counted_kernels" ||
        table.name == "processes") {
      tables.tables.push_back(table);
    }
  }
  std::string out = tables.tables.empty() ? "" : trace::render(tables, trace::Format::table) + "\n";
  for (const trace::Finding& finding : report.findings) {
    if (finding.name != "profiler_warning") out += fmt::format("  {}\n", finding.message);
  }
  return out;
}

}  // namespace

Result<std::string> write_run_report(const fs::path& timeline, const fs::path& folder,
                                     const RunReportOptions& options) {
  ASSAY_TRY(const Profile profile, open_profile(timeline, {}));
  const auto* events = std::get_if<trace::Trace>(&profile);
  if (events == nullptr) return fail(ErrorCode::invalid_argument, "it holds no events");
  const trace::OpClassifier classifier;
  trace::Analysis analysis(*events, classifier);
  ASSAY_TRY(trace::Report report, trace::make_report(analysis, {.limit = 200, .figures = true}));
  if (trace::Table processes = process_table(folder); processes.rows.size() > 1) {
    report.tables.insert(report.tables.begin(), std::move(processes));
  }
  if (!options.counted.empty()) trace::add_counted(options.counted, report);
  if (!options.stages.empty()) {
    const auto& gpus = events->capture.gpus;
    ASSAY_TRY(const trace::MfuPeak peak,
              peak_of(options.peak, gpus.empty() ? "" : gpus.front().name));
    trace::add_stages(analysis, options.stages, options.model, peak, report);
  }
  for (const auto& [name, format] : {std::pair{"report.html", trace::Format::html},
                                     std::pair{"findings.json", trace::Format::json}}) {
    auto done = write_file_atomically(folder / name, trace::render(report, format));
    if (!done) return std::unexpected(std::move(done).error());
  }
  return told(report);
}

}  // namespace assay::cli
