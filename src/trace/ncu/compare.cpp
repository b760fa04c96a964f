#include "trace/ncu/compare.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/error.hpp"
#include "base/result.hpp"
#include "trace/analysis/diff.hpp"
#include "trace/human.hpp"
#include "trace/ncu/kernel_pairs.hpp"
#include "trace/ncu/report.hpp"
#include "trace/ncu/summary.hpp"
#include "trace/ncu/tables.hpp"
#include "trace/ncu/work.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

using Key = std::function<std::string(const NcuLaunch&)>;

std::optional<double> change_pct(std::optional<double> before, std::optional<double> after) {
  if (!before || !after || *before == 0) return std::nullopt;
  return 100 * (*after - *before) / std::abs(*before);
}

std::optional<double> difference(std::optional<double> before, std::optional<double> after) {
  if (!before || !after) return std::nullopt;
  return *after - *before;
}

/// Pairs what is still unpaired on both sides, by key and then by order.
void pair_by(const Key& key, const NcuReport& before, const NcuReport& after,
             std::vector<bool>& used_before, std::vector<std::optional<std::size_t>>& partner) {
  std::map<std::string, std::vector<std::size_t>> waiting;
  for (std::size_t i = before.launches.size(); i-- > 0;) {
    if (!used_before[i]) waiting[key(before.launches[i])].push_back(i);
  }
  for (std::size_t i = 0; i < after.launches.size(); ++i) {
    if (partner[i]) continue;
    const auto found = waiting.find(key(after.launches[i]));
    if (found == waiting.end() || found->second.empty()) continue;
    partner[i] = found->second.back();  // the earliest: they were collected backwards
    used_before[found->second.back()] = true;
    found->second.pop_back();
  }
}

const NcuLaunch* launch_at(const NcuReport& report, std::optional<std::size_t> index) {
  return index ? &report.launches[*index] : nullptr;
}

LaunchSummary summary_of(const NcuLaunch* launch) {
  return launch == nullptr ? LaunchSummary{} : summarize(*launch);
}

std::string_view status_of(const LaunchPair& pair, std::optional<double> change) {
  if (!pair.before) return "new";
  if (!pair.after) return "gone";
  return change_word(change);
}

Table comparison_table() {
  return {.name = "comparison",
          .title = "Launches, before and after",
          .columns = {{"kernel", "Kernel"},
                      {"status", "Change"},
                      {"before_launch", "# before", ColumnType::integer},
                      {"after_launch", "# after", ColumnType::integer},
                      {"before_ns", "Before", ColumnType::duration},
                      {"after_ns", "After", ColumnType::duration},
                      {"change_ns", "Difference", ColumnType::duration},
                      {"change_pct", "Change %", ColumnType::percent},
                      {"before_compute_pct", "SM before", ColumnType::percent},
                      {"after_compute_pct", "SM after", ColumnType::percent},
                      {"before_memory_pct", "Memory before", ColumnType::percent},
                      {"after_memory_pct", "Memory after", ColumnType::percent},
                      {"before_occupancy_pct", "Occup. before", ColumnType::percent},
                      {"after_occupancy_pct", "Occup. after", ColumnType::percent},
                      {"dram_bytes_change_pct", "DRAM bytes %", ColumnType::percent}}};
}

/// Adds a finding where a fact that both reports hold differs, since then a change in time has
/// another possible cause than the code.
class Comparability {
 public:
  explicit Comparability(Report& report) : report_(report) {}

  void expect_same(std::string_view name, std::string_view what, const std::string& before,
                   const std::string& after) {
    if (before == after || before.empty() || after.empty()) return;
    report_.findings.push_back(
        {.kind = FindingKind::warning,
         .name = std::string(name),
         .title = fmt::format("Different {}", what),
         .message = fmt::format("The {} differs: {} before, {} after.", what, before, after)});
  }

 private:
  Report& report_;
};

std::string tool_version(const NcuReport& report) {
  for (const NcuVersion& version : report.session.versions) {
    if (version.provider.starts_with("Nsight Compute")) return version.version;
  }
  return {};
}

std::string first_device(const NcuReport& report) {
  return report.launches.empty() ? std::string() : device_name(report, report.launches[0]);
}

std::optional<double> mean_clock(const NcuReport& report) {
  double sum = 0;
  double count = 0;
  for (const NcuLaunch& launch : report.launches) {
    if (const auto hz = measure_work(launch).sm_hz) {
      sum += *hz;
      ++count;
    }
  }
  if (count == 0) return std::nullopt;
  return sum / count;
}

void add_comparability(const NcuReport& before, const NcuReport& after, Report& out) {
  Comparability check(out);
  check.expect_same("device_differs", "device", first_device(before), first_device(after));
  check.expect_same("tool_version_differs", "version of Nsight Compute", tool_version(before),
                    tool_version(after));
  const auto change = change_pct(mean_clock(before), mean_clock(after));
  if (change && std::abs(*change) > 2) {
    out.findings.push_back(
        {.kind = FindingKind::warning,
         .name = "clock_differs",
         .title = "Different clocks",
         .message = fmt::format("The multiprocessors ran at {:+.1f} % of the clock before: times "
                                "differ by that much without any change of the code.",
                                *change)});
  }
}

/// False where neither launch has the metric.
bool add_metric_row(Table& table, const std::string& name, const NcuLaunch* before,
                    const NcuLaunch* after) {
  const NcuMetric* old_value = before == nullptr ? nullptr : before->find(name);
  const NcuMetric* new_value = after == nullptr ? nullptr : after->find(name);
  if (old_value == nullptr && new_value == nullptr) return false;
  const NcuMetric& either = new_value == nullptr ? *old_value : *new_value;
  const Cell old_cell = old_value == nullptr ? Cell() : old_value->value;
  const Cell new_cell = new_value == nullptr ? Cell() : new_value->value;
  table.add_row({after == nullptr ? before->name : after->name, name,
                 either.unit.empty() ? Cell() : Cell(either.unit), old_cell, new_cell,
                 change_pct(old_cell.number(), new_cell.number())});
  return true;
}

Result<Table> metric_table(const NcuReport& before, const NcuReport& after,
                           const std::vector<LaunchPair>& pairs,
                           const std::vector<std::string>& metrics) {
  Table table{.name = "metrics",
              .title = "Metrics, before and after",
              .columns = {{"kernel", "Kernel"},
                          {"metric", "Metric"},
                          {"unit", "Unit"},
                          {"before", "Before", ColumnType::real},
                          {"after", "After", ColumnType::real},
                          {"change_pct", "Change %", ColumnType::percent}}};
  for (const std::string& name : metrics) {
    bool found = false;
    for (const LaunchPair& pair : pairs) {
      found |=
          add_metric_row(table, name, launch_at(before, pair.before), launch_at(after, pair.after));
    }
    if (!found) {
      return fail(ErrorCode::not_found, fmt::format("neither report has the metric '{}'", name));
    }
  }
  return table;
}

Table launch_pair_table(const NcuReport& before, const NcuReport& after,
                        const std::vector<LaunchPair>& pairs,
                        const std::vector<KernelPair>& kernels) {
  // A launch too many of a kernel that both have is neither new nor gone.
  const auto in_both = [&](std::size_t launch, bool first) {
    return std::ranges::any_of(kernels, [&](const KernelPair& pair) {
      const auto& own = first ? pair.before : pair.after;
      return !pair.before.empty() && !pair.after.empty() &&
             std::ranges::find(own, launch) != own.end();
    });
  };
  Table table = comparison_table();
  for (const LaunchPair& pair : pairs) {
    const NcuLaunch* first = launch_at(before, pair.before);
    const NcuLaunch* second = launch_at(after, pair.after);
    const LaunchSummary old_summary = summary_of(first);
    const LaunchSummary new_summary = summary_of(second);
    const auto old_ns = old_summary.work.duration_ns;
    const auto new_ns = new_summary.work.duration_ns;
    const auto change = change_pct(old_ns, new_ns);
    const bool extra = (!pair.before && in_both(*pair.after, false)) ||
                       (!pair.after && in_both(*pair.before, true));
    table.add_row({second == nullptr ? first->name : second->name,
                   extra ? std::string_view("unpaired") : status_of(pair, change),
                   first == nullptr ? Cell() : Cell(first->id),
                   second == nullptr ? Cell() : Cell(second->id), old_ns, new_ns,
                   difference(old_ns, new_ns), change, old_summary.compute_pct,
                   new_summary.compute_pct, old_summary.memory_pct, new_summary.memory_pct,
                   old_summary.achieved_occupancy_pct, new_summary.achieved_occupancy_pct,
                   change_pct(old_summary.work.dram_bytes, new_summary.work.dram_bytes)});
  }
  return table;
}

void add_headline(const NcuReport& before, const NcuReport& after,
                  const std::vector<KernelPair>& kernels, Report& out) {
  const auto times = launch_times(before, after, kernels);
  std::size_t launches_before = 0;
  std::size_t launches_after = 0;
  std::size_t common = 0;
  for (const KernelPair& pair : kernels) {
    if (pair.before.empty() || pair.after.empty()) continue;
    ++common;
    launches_before += pair.before.size();
    launches_after += pair.after.size();
  }
  Finding finding{.kind = FindingKind::answer, .name = "kernel_time", .title = "Time of a launch"};
  if (!times) {
    finding.kind = FindingKind::abstention;
    finding.message =
        "The two reports have no kernel in common, so that no launches can be held against each "
        "other. Say which are the same with --match old=new.";
  } else {
    const double change = change_pct(times->before_ns, times->after_ns).value_or(0);
    finding.message = fmt::format(
        "A launch took {} before and takes {} ({:+.1f}%): {}, {} launches before and {} after{}.",
        humanize(Cell(times->before_ns), ColumnType::duration),
        humanize(Cell(times->after_ns), ColumnType::duration), change,
        common == 1 ? "one kernel that both have"
                    : fmt::format("{} kernels that both have", common),
        launches_before, launches_after,
        common == 1 ? "" : ", each kernel weighed by how often it was launched before");
    out.facts.emplace_back("before_launch_ns", "A launch before", times->before_ns,
                           ColumnType::duration);
    out.facts.emplace_back("after_launch_ns", "A launch after", times->after_ns,
                           ColumnType::duration);
    out.facts.emplace_back("launch_change_pct", "Change", change, ColumnType::percent);
  }
  out.findings.push_back(std::move(finding));
  for (const auto& renamed : suggest_renamed_kernels(before, after, kernels)) {
    out.findings.push_back(renamed_finding(renamed));
  }
}

}  // namespace

Result<std::optional<NcuLaunchTimes>> ncu_launch_times(const NcuReport& before,
                                                       const NcuReport& after,
                                                       const NcuDiffOptions& options) {
  ASSAY_TRY(const std::vector<KernelPair> kernels, match_kernels(before, after, options.matches));
  return launch_times(before, after, kernels);
}

std::vector<LaunchPair> match_launches(const NcuReport& before, const NcuReport& after) {
  std::vector<bool> used_before(before.launches.size());
  std::vector<std::optional<std::size_t>> partner(after.launches.size());
  const Key keys[] = {
      [](const NcuLaunch& launch) {
        return fmt::format("{}|{}|{}", launch.name, dim3_text(launch.grid),
                           dim3_text(launch.block));
      },
      [](const NcuLaunch& launch) { return launch.name; },
      [](const NcuLaunch& launch) { return launch.function; },
  };
  for (const Key& key : keys) pair_by(key, before, after, used_before, partner);

  std::vector<LaunchPair> pairs;
  pairs.reserve(partner.size());
  for (std::size_t i = 0; i < partner.size(); ++i) pairs.push_back({partner[i], i});
  for (std::size_t i = 0; i < used_before.size(); ++i) {
    if (!used_before[i]) pairs.push_back({.before = i, .after = std::nullopt});
  }
  return pairs;
}

Result<Report> compare_ncu(const NcuReport& before, const NcuReport& after, std::string title,
                           const NcuDiffOptions& options) {
  Report out{.title = std::move(title)};
  ASSAY_TRY(const std::vector<KernelPair> kernels, match_kernels(before, after, options.matches));
  add_headline(before, after, kernels, out);
  add_comparability(before, after, out);
  out.tables.push_back(kernel_pair_table(before, after, kernels));
  const std::vector<LaunchPair> pairs = match_launches(before, after);
  out.tables.push_back(launch_pair_table(before, after, pairs, kernels));
  if (!options.metrics.empty()) {
    ASSAY_TRY(Table changed, metric_table(before, after, pairs, options.metrics));
    out.tables.push_back(std::move(changed));
  }
  out.diagnostics.merge(before.diagnostics);
  out.diagnostics.merge(after.diagnostics);
  return out;
}

}  // namespace assay::trace
