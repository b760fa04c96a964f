#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "trace/analysis/analysis.hpp"
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
  std::uint64_t kernels_without_call = 0;
};

[[nodiscard]] ProfileSums profile_sums(Analysis& analysis);
/// Fails with `invalid_argument` where the file holds no kernel summary.
[[nodiscard]] Result<ProfileSums> profile_sums(const StatsFile& stats);

/// Of counters: kernels by name, with the durations the tool measured one by one.
[[nodiscard]] ProfileSums profile_sums(const NcuReport& report, std::string file);

/// A figure by name: one of `metrics`; `kernel_time:PATTERN` and `range_time:PATTERN`, the average
/// of what the pattern fits. Fails with `not_found`, listing what there is.
[[nodiscard]] Result<Metric> find_metric(const ProfileSums& sums, std::string_view name);

}  // namespace assay::trace
