#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "trace/analysis/analysis.hpp"
#include "trace/analysis/attribution.hpp"
#include "trace/analysis/summary.hpp"
#include "trace/events/nsys_stats.hpp"
#include "trace/ncu/report.hpp"
#include "trace/table.hpp"

namespace assay::trace {

/// One figure of a profile that two profiles can be compared by.
struct Metric {
  double value = 0;
  ColumnType type = ColumnType::real;
};

/// What a comparison needs of a profile: from events, or from sums that `nsys stats` printed.
struct ProfileSums {
  std::string file;
  std::string product;
  std::string schema;
  std::vector<std::string> gpus;     // their names
  std::vector<std::string> command;  // empty: not recorded
  std::vector<NamedSummary> kernels;
  std::vector<NamedSummary> ranges;                    // the author's and those of libraries
  std::map<std::string, Metric, std::less<>> metrics;  // gpu_busy, api_time, ...
  /// Figures that the profile does not support, with the reason.
  std::map<std::string, std::string, std::less<>> absent;
  /// Grids and blocks that each kernel was launched with; empty where they are not recorded.
  std::map<std::string, std::set<std::string>, std::less<>> shapes;
  /// Of the kernel time of the whole profile, that of kernels whose launching call is not recorded:
  /// they are in no range.
  double without_call_pct = 0;
  /// What `iteration_time` is of: "step #".
  std::string iteration;
  /// Of the time of kernels and graphs, that of graphs traced whole: their kernels are not
  /// recorded.
  double in_graphs_pct = 0;

  /// Whether kernels that are not recorded take so much that kernel time says little.
  [[nodiscard]] bool lacks_kernels() const { return in_graphs_pct > 1; }
};

/// Its metrics hold only figures that something was recorded for. Without kernels there is no
/// kernel time, not a kernel time of 0.
[[nodiscard]] ProfileSums profile_sums(Analysis& analysis);
/// The same for the part of the profile inside the ranges that `chosen` marks (a byte per range).
/// Metrics are divided by `count`.
[[nodiscard]] ProfileSums profile_sums_within(Analysis& analysis,
                                              const std::vector<std::uint8_t>& chosen,
                                              RangeRule rule, double count);
/// Fails with `invalid_argument` where the file holds no kernel summary.
[[nodiscard]] Result<ProfileSums> profile_sums(const StatsFile& stats);

/// From a report of counters: kernels by name, with the durations that the tool measured one by
/// one.
[[nodiscard]] ProfileSums profile_sums(const NcuReport& report, std::string file);

/// A figure by name: one of `metrics`, or `kernel_time:PATTERN` or `range_time:PATTERN`. With a
/// pattern it is the average of what the pattern fits. Fails with `not_found`, and says why or
/// lists what there is.
[[nodiscard]] Result<Metric> find_metric(const ProfileSums& sums, std::string_view name);

}  // namespace assay::trace
