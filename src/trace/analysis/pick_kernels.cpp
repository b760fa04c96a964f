#include "trace/analysis/pick_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
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
#include "trace/analysis/graphs.hpp"
#include "trace/analysis/ncu_name.hpp"
#include "trace/analysis/nvtx_path.hpp"
#include "trace/analysis/op_class.hpp"
#include "trace/analysis/summary.hpp"
#include "trace/analysis/warm_up.hpp"
#include "trace/events/events.hpp"
#include "trace/table.hpp"
#include "trace/utf8.hpp"

namespace assay::trace {
namespace {

using Rows = std::vector<std::uint32_t>;  // of Trace::kernels

std::uint32_t process_of(const Trace& trace, std::uint32_t kernel) {
  return trace.queues[trace.kernels.queue[kernel]].process;
}

std::int64_t launched_at(const Trace& trace, std::uint32_t kernel) {
  const std::uint32_t call = trace.kernels.call[kernel];
  return call == kNone ? trace.kernels.start[kernel] : trace.calls.start[call];
}

std::int64_t time_of(const Trace& trace, const Rows& rows) {
  std::int64_t total = 0;
  for (const std::uint32_t row : rows) total += trace.kernels.duration(row);
  return total;
}

/// Launches of one name by grid and block, by falling time, until half of the time is covered.
std::vector<Rows> main_grids(const Trace& trace, const Rows& rows) {
  constexpr std::size_t kMostGrids = 3;
  std::map<std::uint32_t, Rows> by_shape;
  for (const std::uint32_t row : rows) by_shape[trace.kernels.shape[row]].push_back(row);
  std::vector<Rows> grids;
  grids.reserve(by_shape.size());
  for (auto& [shape, members] : by_shape) grids.push_back(std::move(members));
  std::ranges::stable_sort(
      grids, [&](const Rows& a, const Rows& b) { return time_of(trace, a) > time_of(trace, b); });
  const std::int64_t whole = time_of(trace, rows);
  std::int64_t covered = 0;
  std::size_t kept = 0;
  while (kept < std::min(grids.size(), kMostGrids) && 2 * covered < whole) {
    covered += time_of(trace, grids[kept++]);
  }
  grids.resize(kept);
  return grids;
}

/// What ncu will count: launches that its filters let through, of one process, in order of launch.
class Counted {
 public:
  Counted(Analysis& analysis, const NcuName& name, std::uint32_t process)
      : trace_(analysis.trace()) {
    std::vector<std::uint8_t> fits(trace_.functions.size());
    for (std::uint32_t function = 0; function < fits.size(); ++function) {
      fits[function] = name.fits(trace_.function_name(function)) ? 1 : 0;
    }
    for (std::uint32_t row = 0; row < trace_.kernels.size(); ++row) {
      if (fits[trace_.kernels.function[row]] != 0 && process_of(trace_, row) == process) {
        rows_.push_back(row);
      }
    }
    std::ranges::stable_sort(rows_, {},
                             [&](std::uint32_t row) { return launched_at(trace_, row); });
  }

  /// Launches before `kernel`, of those inside the same ranges where there is a path.
  [[nodiscard]] std::uint64_t before(std::uint32_t kernel, Analysis& analysis,
                                     const NvtxPath& path) const {
    std::uint64_t count = 0;
    for (const std::uint32_t row : rows_) {
      if (row == kernel) break;
      if (path.expression.empty() || path.holds(analysis, trace_.kernels.call[row])) ++count;
    }
    return count;
  }

 private:
  const Trace& trace_;
  Rows rows_;
};

/// The launch to look at: after the warm-up, as long as the median one.
std::uint32_t typical(const Trace& trace, const Attribution& attribution,
                      const std::vector<std::uint8_t>& warm_up, const Rows& rows,
                      KernelPick& pick) {
  constexpr double kAsMedian = 0.05;
  constexpr std::size_t kMostWarmUp = 20;
  Rows left;
  for (const std::uint32_t row : rows) {
    const auto around = attribution.same_thread.of_call(trace.kernels.call[row]);
    if (std::ranges::none_of(around, [&](std::uint32_t r) { return warm_up[r] != 0; })) {
      left.push_back(row);
    }
  }
  const bool told = !left.empty() && left.size() < rows.size();
  if (left.empty()) left = rows;
  const std::size_t skipped = told ? 0 : std::min(left.size() / 10, kMostWarmUp);
  std::vector<std::int64_t> durations;
  for (const std::uint32_t row : left) durations.push_back(trace.kernels.duration(row));
  std::vector<std::int64_t> sorted = durations;
  const Summary summary = summarise(sorted);
  std::size_t best = skipped;
  const auto off = [&](std::size_t i) {
    return std::abs(static_cast<double>(durations[i]) - summary.median);
  };
  for (std::size_t i = skipped; i < left.size() && off(best) > kAsMedian * summary.median; ++i) {
    if (off(i) < off(best)) best = i;
  }
  const bool varied = summary.average > 0 && summary.deviation > 0.25 * summary.average;
  pick.why = fmt::format(
      "of {} launches with grid {}x{}x{} the first after {} of warm-up within 5% "
      "of the median, {} ns{}",
      rows.size(), pick.shape.grid[0], pick.shape.grid[1], pick.shape.grid[2],
      rows.size() - left.size() + skipped, summary.median,
      varied ? "; they differ, the deviation is above a quarter of the average" : "");
  return left[best];
}

/// Of rows of any process those of the one that has the most, in order of launch: ncu counts in
/// each process for itself.
Rows of_one_process(const Trace& trace, const Rows& rows) {
  std::map<std::uint32_t, Rows> by_process;
  for (const std::uint32_t row : rows) by_process[process_of(trace, row)].push_back(row);
  Rows out = std::ranges::max_element(by_process, {}, [](const auto& entry) {
               return entry.second.size();
             })->second;
  std::ranges::stable_sort(out, {}, [&](std::uint32_t row) { return launched_at(trace, row); });
  return out;
}

struct Picker {
  Analysis& analysis;
  const std::vector<std::uint8_t>& ranges;  // asked for, as a byte each; empty: all
  std::vector<std::uint8_t> warm_up;
  std::vector<std::string_view> names;  // of all kernels
  std::int64_t whole = 0;

  KernelPick pick(const Rows& kernel, const Rows& grid) {
    const Trace& trace = analysis.trace();
    KernelPick out{.name = std::string(trace.function_name(trace.kernels.function[grid.front()])),
                   .shape = trace.shapes[trace.kernels.shape[grid.front()]],
                   .total = time_of(trace, grid),
                   .count = grid.size()};
    out.op_class = to_string(analysis.classifier().classify(out.name).op);
    out.time_pct = share_pct(static_cast<double>(out.total), static_cast<double>(whole));
    out.of_kernel_pct =
        share_pct(static_cast<double>(out.total), static_cast<double>(time_of(trace, kernel)));
    const std::uint32_t launch =
        typical(trace, analysis.attribution(), warm_up, of_one_process(trace, grid), out);
    out.duration = trace.kernels.duration(launch);
    const NvtxPath path = nvtx_path(analysis, trace.kernels.call[launch], ranges);
    out.nvtx_include = path.expression;
    const NcuName name(out.name, names);
    out.name_base = name.base();
    out.name_regex = name.regex();
    out.launch_skip =
        Counted(analysis, name, process_of(trace, launch)).before(launch, analysis, path);
    return out;
  }
};

/// Rows of the kernels inside the ranges, by name, those with the most time first.
std::vector<Rows> kernels_by_time(Analysis& analysis, const std::vector<std::uint8_t>& ranges,
                                  RangeRule rule) {
  const Trace& trace = analysis.trace();
  std::vector<std::uint8_t> chosen;
  if (!ranges.empty()) chosen = kernels_in(trace, analysis.attribution(), ranges, rule);
  std::map<std::uint32_t, Rows> by_name;
  for (std::uint32_t row = 0; row < trace.kernels.size(); ++row) {
    if (!ranges.empty() && (chosen.empty() || chosen[row] == 0)) continue;
    by_name[trace.functions[trace.kernels.function[row]].name].push_back(row);
  }
  std::vector<std::pair<std::int64_t, Rows>> kernels;
  for (auto& [name, rows] : by_name) {
    const std::int64_t total = time_of(trace, rows);
    kernels.emplace_back(total, std::move(rows));
  }
  std::ranges::stable_sort(kernels, [&](const auto& a, const auto& b) {
    if (a.first != b.first) return a.first > b.first;
    return trace.function_name(trace.kernels.function[a.second.front()]) <
           trace.function_name(trace.kernels.function[b.second.front()]);
  });
  std::vector<Rows> out;
  out.reserve(kernels.size());
  for (auto& [total, rows] : kernels) out.push_back(std::move(rows));
  return out;
}

/// Takes out kernels that wait for other GPUs, unless there are no others. Says so if that is one
/// of the first `count`. ncu runs a kernel again and again while the others' kernels stand still:
/// such a kernel would never end.
std::string leave_out_waiting(Analysis& analysis, std::size_t count, std::vector<Rows>& kernels) {
  const Trace& trace = analysis.trace();
  const auto name_of = [&](const Rows& rows) {
    return trace.function_name(trace.kernels.function[rows.front()]);
  };
  const auto waits = [&](const Rows& rows) {
    return analysis.classifier().classify(name_of(rows)).op == OpClass::communication;
  };
  const auto first = std::ranges::find_if(kernels, waits);
  if (first == kernels.end() || std::ranges::all_of(kernels, waits)) return {};
  const bool asked_for = std::cmp_less(first - kernels.begin(), count);
  std::string caution = fmt::format(
      "Kernels that communicate are left out, such as {}: ncu runs a kernel several times, and one "
      "that waits for other GPUs would never end.",
      shorten_middle(name_of(*first), 60));
  std::erase_if(kernels, waits);
  return asked_for ? caution : "";
}

/// Whether kernels were launched through AMD's runtime.
bool calls_hip(const Trace& trace) {
  return std::ranges::any_of(trace.kernels.call, [&](std::uint32_t call) {
    return call != kNone && trace.strings.view(trace.calls.name[call]).starts_with("hip");
  });
}

}  // namespace

Result<PickPlan> pick_kernels(Analysis& analysis, std::size_t count, std::string_view range,
                              RangeRule rule) {
  const Trace& trace = analysis.trace();
  std::vector<std::uint8_t> ranges;
  if (!range.empty()) {
    ASSAY_TRY(ranges, analysis.ranges_named(range));
  }
  std::vector<Rows> kernels = kernels_by_time(analysis, ranges, rule);
  Picker picker{.analysis = analysis, .ranges = ranges, .warm_up = warm_up_ranges(trace)};
  for (const Rows& rows : kernels) picker.whole += time_of(trace, rows);
  for (std::uint32_t function = 0; function < trace.functions.size(); ++function) {
    picker.names.push_back(trace.function_name(function));
  }
  PickPlan plan{.source = trace.capture.file, .command = trace.capture.command};
  plan.caution = leave_out_waiting(analysis, count, kernels);
  if (trace.capture.format == SourceFormat::kineto) {
    plan.caution += plan.caution.empty() ? "" : " ";
    plan.caution +=
        "PyTorch's profiler may have begun after the program: launches before that are not counted "
        "in --launch-skip. Its annotations are no NVTX ranges, so ncu cannot filter by them.";
  }
  if (calls_hip(trace)) {
    plan.caution += plan.caution.empty() ? "" : " ";
    plan.caution += "The program ran on GPUs of AMD, and ncu profiles those of NVIDIA alone.";
  }
  if (!trace.graphs.empty()) {
    plan.caution += fmt::format(
        "{}CUDA graphs were traced whole: kernels inside them are neither here nor counted in "
        "--launch-skip. {}",
        plan.caution.empty() ? "" : " ", kRecordNodes);
  }
  for (std::size_t i = 0; i < std::min(count, kernels.size()); ++i) {
    std::size_t grid_rank = 0;
    for (const Rows& grid : main_grids(trace, kernels[i])) {
      KernelPick pick = picker.pick(kernels[i], grid);
      pick.rank = i + 1;
      pick.grid_rank = ++grid_rank;
      plan.picks.push_back(std::move(pick));
    }
  }
  return plan;
}

Table pick_table(const PickPlan& plan) {
  Table table{.name = "top_kernels",
              .title = "Kernels to look at with Nsight Compute",
              .columns = {{"rank", "#", ColumnType::integer},
                          {"time_pct", "Time", ColumnType::percent},
                          {"of_kernel_pct", "Of kernel", ColumnType::percent},
                          {"total_ns", "Total time", ColumnType::duration},
                          {"launches", "Launches", ColumnType::integer},
                          {"grid", "Grid", ColumnType::text},
                          {"launch_skip", "Skip", ColumnType::integer},
                          {"launch_count", "Profile", ColumnType::integer},
                          {"duration_ns", "Takes", ColumnType::duration},
                          {"op_class", "Class", ColumnType::text},
                          {"name", "Name", ColumnType::text}}};
  for (const KernelPick& pick : plan.picks) {
    table.add_row(
        {pick.rank, pick.time_pct, pick.of_kernel_pct, pick.total, pick.count,
         fmt::format("{}x{}x{}", pick.shape.grid[0], pick.shape.grid[1], pick.shape.grid[2]),
         pick.launch_skip, pick.launch_count, pick.duration, pick.op_class, pick.name});
  }
  table.notes.emplace_back(
      "A row is a grid of a kernel: ncu is told to pass the launches before it that have the "
      "kernel's name, whatever their grid.");
  if (!plan.caution.empty()) table.notes.push_back(plan.caution);
  return table;
}

}  // namespace assay::trace
