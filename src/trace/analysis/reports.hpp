#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "trace/analysis/analysis.hpp"
#include "trace/analysis/attribution.hpp"
#include "trace/analysis/sums.hpp"
#include "trace/events/nsys_stats.hpp"
#include "trace/table.hpp"

namespace assay::trace {

struct ReportOptions {
  std::vector<std::string> reports;  // of report_names(); none: the overview; "all": every one
  KernelNaming naming = KernelNaming::demangled;
  std::string range;  // what belongs to it alone; empty: all
  RangeRule rule = RangeRule::both;
  std::string iteration;  // the range that is an iteration; empty: found
  std::size_t limit = 0;  // rows of a table; 0: all
  bool figures = false;   // timeline and treemap, for a page
};

struct ReportName {
  std::string_view name;
  std::string_view what;
};

[[nodiscard]] std::vector<ReportName> report_names();

/// Fails with `invalid_argument` on a report it does not know and as select_ranges does on a
/// range that is not there.
[[nodiscard]] Result<Report> make_report(Analysis& analysis, const ReportOptions& options);

/// What can be said of sums alone.
[[nodiscard]] Result<Report> make_report(const StatsFile& stats, const OpClassifier& classifier,
                                         const ReportOptions& options);

/// Keeps the first `limit` rows of each table and notes how many there were.
void limit_rows(Report& report, std::size_t limit);

}  // namespace assay::trace
