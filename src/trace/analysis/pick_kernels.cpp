#include "trace/analysis/pick_kernels.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/result.hpp"
#include "trace/analysis/analysis.hpp"
#include "trace/analysis/attribution.hpp"
#include "trace/analysis/op_class.hpp"
#include "trace/analysis/summary.hpp"
#include "trace/analysis/sums.hpp"
#include "trace/events/events.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

/// What of a profile the launches are counted in, as ncu will count them.
struct Scope {
  std::vector<std::uint8_t> kernels;  // empty: all
  std::string nvtx_include;
};

/// ncu separates the parts of an expression by these signs.
std::string nvtx_escaped(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (std::string_view("/@,[]*+\\").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

/// ncu can filter by one named push/pop range of the launching thread; anything else is counted
/// over the whole run.
Scope scope_of(Analysis& analysis, std::span<const std::uint8_t> ranges) {
  const Trace& trace = analysis.trace();
  std::uint32_t first = kNone;
  for (std::uint32_t row = 0; row < ranges.size(); ++row) {
    if (ranges[row] == 0) continue;
    if (first == kNone) first = row;
    const bool alike = trace.ranges.name[row] == trace.ranges.name[first] &&
                       trace.ranges.domain[row] == trace.ranges.domain[first] &&
                       trace.ranges.style[row] == RangeStyle::push_pop;
    if (!alike) return {};
  }
  if (first == kNone) return {};
  std::string include = nvtx_escaped(trace.strings.view(trace.ranges.name[first])) + "/";
  const std::string_view domain = trace.strings.view(trace.ranges.domain[first]);
  if (!domain.empty()) include = fmt::format("{}@{}", nvtx_escaped(domain), include);
  return {.kernels = kernels_in(trace, analysis.attribution(), ranges, RangeRule::same_thread),
          .nvtx_include = std::move(include)};
}

/// Rows of kernels of one function name in order of launch, of the process that has the most.
std::vector<std::uint32_t> launches_of(const Trace& trace, std::uint32_t name,
                                       std::span<const std::uint8_t> chosen) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> by_process;
  for (std::uint32_t row = 0; row < trace.kernels.size(); ++row) {
    if (trace.functions[trace.kernels.function[row]].name != name) continue;
    if (!chosen.empty() && chosen[row] == 0) continue;
    by_process[trace.queues[trace.kernels.queue[row]].process].push_back(row);
  }
  if (by_process.empty()) return {};
  auto most = std::ranges::max_element(by_process, {},
                                       [](const auto& entry) { return entry.second.size(); });
  std::vector<std::uint32_t> rows = std::move(most->second);
  std::ranges::stable_sort(rows, {}, [&](std::uint32_t row) {
    const std::uint32_t call = trace.kernels.call[row];
    return call == kNone ? trace.kernels.start[row] : trace.calls.start[call];
  });
  return rows;
}

void choose_launch(const Trace& trace, const std::vector<std::uint32_t>& rows, KernelPick& pick) {
  constexpr double kAsMedian = 0.05;
  constexpr std::size_t kMostWarmUp = 20;
  std::vector<std::int64_t> durations;
  durations.reserve(rows.size());
  for (const std::uint32_t row : rows) durations.push_back(trace.kernels.duration(row));
  std::vector<std::int64_t> sorted = durations;
  const Summary summary = summarise(sorted);
  const std::size_t warm_up = std::min(rows.size() / 10, kMostWarmUp);
  std::size_t best = warm_up;
  double best_off = std::abs(static_cast<double>(durations[best]) - summary.median);
  for (std::size_t i = warm_up; i < rows.size() && best_off > kAsMedian * summary.median; ++i) {
    const double off = std::abs(static_cast<double>(durations[i]) - summary.median);
    if (off >= best_off) continue;
    best = i;
    best_off = off;
  }
  const bool varied = summary.average > 0 && summary.deviation > 0.25 * summary.average;
  pick.count = rows.size();
  pick.launch_skip = best;
  pick.launch_count = std::min<std::uint64_t>(varied ? 3 : 1, rows.size() - best);
  pick.duration = durations[best];
  pick.why = fmt::format(
      "the first launch after {} of warm-up within 5% of the median, {} ns{}", warm_up,
      summary.median,
      varied ? "; launches differ (deviation above a quarter of the average), so several are taken"
             : "");
}

}  // namespace

Result<PickPlan> pick_kernels(Analysis& analysis, std::size_t count, std::string_view range,
                              RangeRule rule) {
  const Trace& trace = analysis.trace();
  ASSAY_TRY(const auto sums, analysis.kernels_within(range, rule, KernelNaming::demangled));
  Scope scope;
  if (!range.empty()) {
    ASSAY_TRY(const auto ranges, analysis.ranges_named(range));
    scope = scope_of(analysis, ranges);
  }
  std::map<std::string_view, std::uint32_t> name_ids;
  for (const Function& function : trace.functions) {
    name_ids.emplace(trace.strings.view(function.name), function.name);
  }
  PickPlan plan{.source = trace.capture.file, .command = trace.capture.command};
  const std::int64_t whole = total_of(sums);
  for (std::size_t i = 0; i < std::min(count, sums.size()); ++i) {
    KernelPick pick{
        .rank = i + 1,
        .name = sums[i].name,
        .op_class = std::string(to_string(analysis.classifier().classify(sums[i].name).op)),
        .total = sums[i].summary.total,
        .time_pct =
            share_pct(static_cast<double>(sums[i].summary.total), static_cast<double>(whole))};
    const std::uint32_t id = name_ids.at(pick.name);
    auto rows = launches_of(trace, id, scope.kernels);
    pick.nvtx_include = scope.nvtx_include;
    if (rows.empty()) {  // launched by another thread: the filter would see none of them
      rows = launches_of(trace, id, {});
      pick.nvtx_include.clear();
    }
    choose_launch(trace, rows, pick);
    plan.picks.push_back(std::move(pick));
  }
  return plan;
}

Table pick_table(const PickPlan& plan) {
  Table table{.name = "top_kernels",
              .title = "Kernels to look at with Nsight Compute",
              .columns = {{"rank", "#", ColumnType::integer},
                          {"time_pct", "Time", ColumnType::percent},
                          {"total_ns", "Total time", ColumnType::duration},
                          {"launches", "Launches", ColumnType::integer},
                          {"launch_skip", "Skip", ColumnType::integer},
                          {"launch_count", "Profile", ColumnType::integer},
                          {"duration_ns", "Takes", ColumnType::duration},
                          {"op_class", "Class", ColumnType::text},
                          {"name", "Name", ColumnType::text}}};
  for (const KernelPick& pick : plan.picks) {
    table.add_row({pick.rank, pick.time_pct, pick.total, pick.count, pick.launch_skip,
                   pick.launch_count, pick.duration, pick.op_class, pick.name});
  }
  return table;
}

}  // namespace assay::trace
