#include "trace/analysis/iterations.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/error.hpp"
#include "base/result.hpp"
#include "trace/analysis/attribution.hpp"
#include "trace/analysis/loops.hpp"
#include "trace/analysis/projection.hpp"
#include "trace/analysis/range_select.hpp"
#include "trace/analysis/summary.hpp"
#include "trace/analysis/warm_up.hpp"
#include "trace/events/events.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

/// How surely a name is that of one run through a loop. An epoch is a run through one too, but what
/// people call an iteration is inside it.
enum NameRank : std::uint8_t { says_nothing, epoch, run, batch, step };

NameRank rank_of_name(std::string_view name) {
  constexpr auto kRanks = std::to_array<std::pair<std::string_view, NameRank>>({
      {"step", step},
      {"steps", step},
      {"iter", step},
      {"iteration", step},
      {"batch", batch},
      {"minibatch", batch},
      {"train", run},
      {"training", run},
      {"inference", run},
      {"eval", run},
      {"run", run},
      {"main", run},
      {"loop", run},
      {"measure", run},
      {"epoch", epoch},
  });
  // Beside those they leave a name what it is: "batch=3, size=32", "Step 4 of 10".
  constexpr auto kBeside = std::to_array<std::string_view>(
      {"profiler", "global", "mini", "size", "of", "no", "num", "number", "idx", "index", "id"});
  NameRank rank = says_nothing;
  bool evaluates = false;
  for (const std::string& word : name_words(name)) {
    evaluates |= word == "eval";
    const auto found = std::ranges::find(kRanks, word, [](const auto& one) { return one.first; });
    if (found != kRanks.end()) {
      rank = std::max(rank, found->second);
    } else if (std::ranges::find(kBeside, word) == kBeside.end()) {
      return says_nothing;
    }
  }
  return evaluates ? std::min(rank, run) : rank;  // of a program that trains, the loop is another
}

/// Whether several of its runs are under way at once, as requests to a server are.
bool overlaps_itself(const Trace& trace, const Loop& loop) {
  std::size_t overlapping = 0;
  std::int64_t until = std::numeric_limits<std::int64_t>::min();
  for (const std::uint32_t row : loop.rows) {
    // Ranges that follow each other may touch.
    if (trace.ranges.start[row] + trace.ranges.duration(row) / 10 < until) ++overlapping;
    until = std::max(until, trace.ranges.end[row]);
  }
  return 2 * overlapping > loop.rows.size();
}

/// The least share of the kernel time that a loop of such a name holds, if it is the program's.
double least_share(NameRank rank) {
  if (rank >= batch) return 20;
  return rank == says_nothing ? 67 : 50;
}

/// Whether a loop says that it is a pass of a model, and runs as often as the other.
bool is_pass_of(const Loop& loop, const Loop& other) {
  constexpr auto kPasses =
      std::to_array<std::string_view>({"forward", "fwd", "backward", "bwd", "backprop"});
  const auto words = name_words(loop.name);
  const auto count = static_cast<double>(other.rows.size());
  return std::abs(static_cast<double>(loop.rows.size()) - count) <= 0.1 * count + 1 &&
         std::ranges::find_first_of(words, kPasses) != words.end();
}

/// Why a loop is not the program's; empty where it may be.
std::string objection(const Trace& trace, const Loop& loop, const std::vector<Loop>& loops,
                      std::int64_t process_time, const std::vector<Projected>& projected) {
  const NameRank rank = rank_of_name(loop.name);
  const bool named = rank != says_nothing;
  if (overlaps_itself(trace, loop)) return "has several runs under way at once";
  auto stages = stages_beside(trace, loop, loops);
  // What is called a step beside the passes of a model is that of the optimizer.
  if (named) std::erase_if(stages, [&](const Loop* other) { return !is_pass_of(*other, loop); });
  if (!stages.empty()) return fmt::format("is a stage beside {}", list_names(stages));
  if (!named && says_layer(loop.name)) return "says that it is a layer of a model";
  if (process_time > 0) {
    const double holds =
        100.0 * static_cast<double>(loop.kernel_time) / static_cast<double>(process_time);
    if (holds < least_share(rank)) {
      return fmt::format("holds {:.1f}% of the kernel time", holds);
    }
    std::vector<std::int64_t> kernels;
    kernels.reserve(loop.rows.size());
    for (const std::uint32_t row : loop.rows) {
      // A graph launches several kernels, of which nothing is recorded.
      kernels.push_back(
          static_cast<std::int64_t>(projected[row].kernels + 2 * projected[row].graphs));
    }
    const double median = summarise(kernels).median;
    const auto alike = std::ranges::count_if(kernels, [&](std::int64_t count) {
      return std::abs(static_cast<double>(count) - median) <= 0.5 * median;
    });
    if (median < (rank >= batch ? 1 : 2)) return "wraps single launches";
    if (2 * static_cast<std::size_t>(alike) < kernels.size()) {
      return "launches differently many kernels each time";
    }
  } else if (!named) {
    const auto [first, last] = trace.extent();
    if (loop.host_time * 3 < (last - first) * 2) return "fills less than two thirds of the time";
  }
  return {};
}

Error nothing_fits(const std::vector<std::pair<const Loop*, std::string>>& looked_at) {
  if (looked_at.empty()) {
    return {ErrorCode::not_found,
            "no range of the program's author repeats: mark one run through the loop with a range, "
            "or name the range that is one"};
  }
  std::string list;
  constexpr std::size_t kShown = 4;
  for (std::size_t i = 0; i < std::min(looked_at.size(), kShown); ++i) {
    list += fmt::format("{}'{}' ({} times) {}", i == 0 ? "" : "; ", looked_at[i].first->name,
                        looked_at[i].first->rows.size(), looked_at[i].second);
  }
  return {ErrorCode::not_found,
          fmt::format("no range holds one run through the program's loop: {}{}. Mark one with a "
                      "range, or name the range that is one",
                      list, looked_at.size() > kShown ? "; and others" : "")};
}

/// The same loop on other threads, as a sentence: ranks and workers each run their own.
std::string also_run(const Trace& trace, const Loop& chosen, const std::vector<Loop>& loops) {
  const auto process = [&](const Loop& loop) { return trace.threads[loop.thread].process; };
  std::set<std::uint32_t> processes;
  std::size_t threads = 0;
  for (const Loop& loop : loops) {
    if (loop.name != chosen.name || loop.thread == chosen.thread) continue;
    if (process(loop) == process(chosen)) {
      ++threads;
    } else {
      processes.insert(process(loop));
    }
  }
  std::string where;
  if (!processes.empty()) {
    where = fmt::format("{} other {} of the profile", processes.size(),
                        processes.size() == 1 ? "process" : "processes");
  }
  if (threads > 0) {
    where += fmt::format("{}{} other {} of its process", where.empty() ? "" : " and ", threads,
                         threads == 1 ? "thread" : "threads");
  }
  if (where.empty()) return {};
  return fmt::format("It runs in {} too; this is the one that gives the GPUs the most to do{}.",
                     where,
                     processes.empty() || trace.processes[process(chosen)].pid == 0
                         ? ""
                         : fmt::format(", process {}", trace.processes[process(chosen)].pid));
}

/// The threads that launch GPU work: a byte each.
std::vector<std::uint8_t> launching_threads(const Trace& trace) {
  std::vector<std::uint8_t> out(trace.threads.size(), 0);
  for (const Work* work :
       {static_cast<const Work*>(&trace.kernels), static_cast<const Work*>(&trace.graphs)}) {
    for (const std::uint32_t call : work->call) {
      if (call != kNone) out[trace.calls.thread[call]] = 1;
    }
  }
  return out;
}

struct ProgramLoop {
  Loop loop;
  std::string elsewhere;
  double kernel_time_pct = 0;
};

/// The most likely loop: by its name, then by what it holds, then the outermost.
Result<ProgramLoop> program_loop(const Trace& trace, const std::vector<Projected>& projected,
                                 const std::vector<std::uint8_t>& warm_up) {
  std::vector<Loop> loops = find_loops(trace, warm_up, projected);
  // Each is held against every other: of a program that names thousands of things, the largest.
  constexpr std::size_t kMostLoops = 200;
  std::ranges::stable_sort(loops, [](const Loop& a, const Loop& b) {
    return std::tuple(rank_of_name(a.name), a.kernel_time, a.host_time) >
           std::tuple(rank_of_name(b.name), b.kernel_time, b.host_time);
  });
  if (loops.size() > kMostLoops) loops.resize(kMostLoops);
  const auto process_time = measured_kernel_time(trace, projected, warm_up);
  const std::vector<std::uint8_t> launches = launching_threads(trace);
  const Loop* best = nullptr;
  std::tuple<NameRank, std::int64_t, std::int64_t> best_rank;
  std::vector<std::pair<const Loop*, std::string>> looked_at;
  for (const Loop& loop : loops) {
    const std::int64_t time = process_time[trace.threads[loop.thread].process];
    std::string why = objection(trace, loop, loops, time, projected);
    const bool alone = trace.ranges.style[loop.rows.front()] == RangeStyle::push_pop &&
                       launches[loop.thread] == 0 && loop.kernels > 0;
    if (why.empty() && alone && rank_of_name(loop.name) == says_nothing) {
      why = "is of a thread that launches nothing, as one that loads data";
    }
    if (!why.empty()) {
      looked_at.emplace_back(&loop, std::move(why));
      continue;
    }
    const std::tuple rank = {rank_of_name(loop.name), loop.kernel_time, loop.host_time};
    if (best != nullptr && rank <= best_rank) continue;
    best = &loop;
    best_rank = rank;
  }
  if (best != nullptr) {
    const auto all = process_time[trace.threads[best->thread].process];
    return ProgramLoop{.loop = *best,
                       .elsewhere = also_run(trace, *best, loops),
                       .kernel_time_pct = share_pct(static_cast<double>(best->kernel_time),
                                                    static_cast<double>(all))};
  }
  std::ranges::stable_sort(looked_at, [](const auto& a, const auto& b) {
    return std::pair(a.first->kernel_time, a.first->host_time) >
           std::pair(b.first->kernel_time, b.first->host_time);
  });
  return std::unexpected(nothing_fits(looked_at));
}

}  // namespace

bool Iterations::same_kernels() const {
  const auto counts = [](const Iteration& one) { return !one.warm_up; };
  const auto first = std::ranges::find_if(list, counts);
  return std::ranges::all_of(
      list, [&](const Iteration& one) { return one.warm_up || one.kernels == first->kernels; });
}

Result<Iterations> find_iterations(const Trace& trace, const Attribution& attribution,
                                   std::string_view text) {
  Iterations out;
  const std::vector<Projected> projected = project(trace, attribution, RangeRule::both);
  const std::vector<std::uint8_t> warm_up = warm_up_ranges(trace);
  std::vector<std::uint32_t> rows;
  if (text.empty()) {
    ASSAY_TRY(ProgramLoop found, program_loop(trace, projected, warm_up));
    Loop& loop = found.loop;
    out.name = std::move(loop.name);
    out.elsewhere = std::move(found.elsewhere);
    out.kernel_time_pct = found.kernel_time_pct;
    out.chosen = rank_of_name(out.name) != says_nothing
                     ? "the range that repeats and says that it is one"
                     : "the range that repeats and holds the most of what the GPU does";
    rows = std::move(loop.rows);
  } else {
    ASSAY_TRY(const auto chosen, select_ranges(trace, text));
    out.name = text;
    out.chosen = "the range asked for";
    rows = outermost(trace, chosen);
  }
  out.left_out = leave_out_cut_off(trace, rows);
  const MeasuredRuns runs = without_warm_up(trace, warm_up, rows, projected_times(projected, rows));
  if (!runs.why.empty()) out.left_out += (out.left_out.empty() ? "" : " ") + runs.why;
  std::vector<std::int64_t> durations;
  for (const std::uint32_t row : rows) {
    const Projected& range = projected[row];
    const bool warm = std::ranges::binary_search(runs.warm_up, row);
    out.list.push_back({.range = row,
                        .kernels = range.kernels,
                        .graphs = range.graphs,
                        .kernel_time = range.kernel_time,
                        .gpu_busy = range.busy,
                        .gpu_span = range.duration(),
                        .warm_up = warm});
    if (!warm) durations.push_back(trace.ranges.duration(row));
  }
  out.duration = summarise(durations);
  return out;
}

Table iteration_table(const Trace& trace, const Iterations& iterations) {
  Table table{.name = "iterations",
              .title = fmt::format("Iterations: {}", iterations.name),
              .columns = {{"iteration", "#", ColumnType::integer},
                          {"start_ns", "Start", ColumnType::duration},
                          {"duration_ns", "Duration", ColumnType::duration},
                          {"of_median_pct", "Of median", ColumnType::percent},
                          {"gpu_busy_ns", "GPU busy", ColumnType::duration},
                          {"gpu_span_ns", "GPU span", ColumnType::duration},
                          {"kernel_time_ns", "Kernel time", ColumnType::duration},
                          {"kernels", "Kernels", ColumnType::integer},
                          {"part", "Part", ColumnType::text},
                          {"range", "Range", ColumnType::text}}};
  for (std::size_t i = 0; i < iterations.list.size(); ++i) {
    const Iteration& one = iterations.list[i];
    const std::int64_t duration = trace.ranges.duration(one.range);
    table.add_row({i, trace.ranges.start[one.range], duration,
                   share_pct(static_cast<double>(duration), iterations.duration.median),
                   one.gpu_busy, one.gpu_span, one.kernel_time, one.kernels,
                   one.warm_up ? "warm-up" : "measured",
                   trace.strings.view(trace.ranges.name[one.range])});
  }
  table.notes.push_back(
      fmt::format("Iterations are the ranges '{}': {}. GPU figures are of the "
                  "work launched inside them, from any thread.",
                  iterations.name, iterations.chosen));
  if (!iterations.left_out.empty()) table.notes.push_back(iterations.left_out);
  return table;
}

}  // namespace assay::trace
