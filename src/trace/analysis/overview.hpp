#pragma once

#include <span>
#include <string>

#include "trace/analysis/analysis.hpp"
#include "trace/analysis/reports.hpp"
#include "trace/events/events.hpp"
#include "trace/table.hpp"

namespace assay::trace {

/// What the profile is: title, facts, the profiler's warnings, and what was left out.
void describe_capture(const Trace& trace, Report& report);
/// What the profiler itself warned of, after what was found.
void add_profiler_warnings(const Trace& trace, Report& report);

/// The tables of a first look that have rows, and what stands out as findings.
void add_overview(Analysis& analysis, const ReportOptions& options, Report& report);

/// `counters`: counters by kernel and metric.
[[nodiscard]] Table counter_table(const Trace& trace);

/// Sums under any name, with the columns of summary_columns.
[[nodiscard]] Table sum_table(const std::string& name, std::span<const NamedSummary> rows);

}  // namespace assay::trace
