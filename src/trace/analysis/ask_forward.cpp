#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "trace/analysis/analysis.hpp"
#include "trace/analysis/ask.hpp"
#include "trace/analysis/ask_parts.hpp"
#include "trace/analysis/busy.hpp"
#include "trace/analysis/passes.hpp"
#include "trace/analysis/projection.hpp"
#include "trace/analysis/summary.hpp"
#include "trace/events/events.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

/// One kind of time of the ranges: on the host, as projected onto the GPUs, with a GPU busy.
struct Times {
  std::vector<std::int64_t> host;
  std::vector<std::int64_t> projected;
  std::vector<std::int64_t> busy;
  std::uint64_t unfinished = 0;  // ranges that ended before the work launched in them
};

Times times_of(const Trace& trace, const std::vector<std::uint32_t>& rows,
               const std::vector<Projected>& projected) {
  Times times;
  for (const std::uint32_t row : rows) {
    times.host.push_back(trace.ranges.duration(row));
    if (projected[row].work == 0) continue;
    times.projected.push_back(projected[row].duration());
    times.busy.push_back(projected[row].busy);
    if (projected[row].end > trace.ranges.end[row]) ++times.unfinished;
  }
  return times;
}

/// What the answer would be with warm-up, as a sentence.
std::string with_warm_up(const Trace& trace, const Passes& passes,
                         const std::vector<Projected>& projected) {
  std::vector<std::int64_t> all;
  for (const auto* rows : {&passes.measured, &passes.warm_up}) {
    for (const std::uint32_t row : *rows) {
      all.push_back(passes.warm_up_by_gpu ? projected[row].duration() : trace.ranges.duration(row));
    }
  }
  return fmt::format("With {} the average would be {}{}.",
                     passes.warm_up.size() == 1 ? "it" : "them", shown(summarise(all).average),
                     passes.warm_up_by_gpu ? " on the GPU" : "");
}

void add_row(std::string_view what, const Summary& summary, Table& table) {
  table.add_row({summary.count, one_decimal(summary.average), one_decimal(summary.median),
                 summary.least, summary.greatest, one_decimal(summary.deviation), what});
}

std::size_t processes_of(const Trace& trace, const std::vector<std::uint32_t>& rows) {
  std::set<std::uint32_t> processes;
  for (const std::uint32_t row : rows) {
    processes.insert(trace.threads[trace.ranges.thread[row]].process);
  }
  return processes.size();
}

/// How far `measured` is from a time, in percent of it.
double off_by(double measured, double found) {
  return 100 * std::abs(measured - found) / found;
}

std::string agreement(const AskOptions& options, const Summary& host, const Summary& projected) {
  if (!options.measured) return " No measured time was given to compare with.";
  const auto measured = static_cast<double>(options.measured->count());
  struct Candidate {
    std::string_view what;
    double time;
  };
  std::vector<Candidate> candidates = {{"average on the host", host.average},
                                       {"median on the host", host.median}};
  if (projected.count > 0) {
    candidates.push_back({"average as projected onto the GPU", projected.average});
    candidates.push_back({"median as projected onto the GPU", projected.median});
  }
  std::erase_if(candidates, [](const Candidate& c) { return !(c.time > 0); });
  if (candidates.empty()) return " The ranges took no time: there is nothing to compare with.";
  const auto nearest = std::ranges::min_element(
      candidates, {}, [&](const Candidate& c) { return off_by(measured, c.time); });
  const double off = off_by(measured, nearest->time);
  return fmt::format(" The measured {} {} with it: the {} is {}, {:.1f}% from it (tolerance {}%).",
                     shown(measured), off <= options.tolerance_pct ? "agrees" : "does not agree",
                     nearest->what, shown(nearest->time), off, options.tolerance_pct);
}

Report ask_pass_time(Analysis& analysis, const AskOptions& options, PassKind kind) {
  Answer answer;
  const Trace& trace = analysis.trace();
  auto passes = find_passes(analysis, kind, options.range);
  if (!passes) return std::move(answer).abstained(passes.error().message());
  const std::string& range = passes->name;
  const auto on_gpus = project(trace, analysis.attribution(), options.rule);
  Times times = times_of(trace, passes->measured, on_gpus);
  const bool not_recorded = launches_not_recorded(trace) > 0;
  if (not_recorded) times = {.host = std::move(times.host)};  // copies alone say nothing of a pass
  const Summary host = summarise(times.host);
  const Summary projected = summarise(times.projected);
  const Summary busy = summarise(times.busy);

  constexpr std::array<std::string_view, 3> kTables = {"forward_time", "backward_time",
                                                       "optimizer_time"};
  Table table{.name = std::string(kTables[static_cast<std::size_t>(kind)]),
              .title = fmt::format("Time of '{}'", range),
              .columns = {{"count", "Ranges", ColumnType::integer},
                          {"average_ns", "Average", ColumnType::duration},
                          {"median_ns", "Median", ColumnType::duration},
                          {"min_ns", "Min", ColumnType::duration},
                          {"max_ns", "Max", ColumnType::duration},
                          {"stddev_ns", "Std dev", ColumnType::duration},
                          {"what", "What", ColumnType::text}}};
  add_row("host", host, table);
  if (projected.count > 0) {
    add_row("gpu_projected", projected, table);
    add_row("gpu_busy", busy, table);
  }
  const std::size_t processes = processes_of(trace, passes->measured);
  std::string message =
      host.count == 1
          ? fmt::format("'{}' ran once and took {} on the host", range, shown(host.average))
          : fmt::format("'{}' ran {} times{} and took {} on average (median {}) on the host", range,
                        host.count, processes > 1 ? fmt::format(" in {} processes", processes) : "",
                        shown(host.average), shown(host.median));
  message += projected.count > 0
                 ? fmt::format("; the GPU work launched in it spans {}{}.",
                               shown(projected.average), host.count == 1 ? "" : " on average")
             : not_recorded ? "; kernels were launched and not recorded, so that the GPU's time is "
                              "not known."
                            : "; no GPU work is known to have been launched in it.";
  if (static_cast<double>(host.greatest) > 1.5 * static_cast<double>(host.least)) {
    message += fmt::format(" They differ: from {} to {}.", shown(host.least), shown(host.greatest));
  }
  if (times.unfinished > 0 &&
      static_cast<double>(projected.greatest) > 1.5 * static_cast<double>(projected.least)) {
    message += fmt::format(" On the GPU they differ: from {} to {}.", shown(projected.least),
                           shown(projected.greatest));
  }
  const std::string held = options.range.empty() ? held_in_loop(analysis, *passes) : "";
  if (!held.empty()) message += " " + held;
  if (passes->only_warm_up) message += " All of them are warm-up: the profile holds no others.";
  if (!passes->set_aside.empty()) message += " " + passes->set_aside;
  if (!passes->left_out.empty()) {
    message += fmt::format(" {} {}", passes->left_out, with_warm_up(trace, *passes, on_gpus));
  }
  if (times.unfinished > 0) {
    message += fmt::format(
        " In {} of {} the GPU finished after the range ended, so there the host "
        "time is the time to launch, not to compute.",
        times.unfinished, host.count);
  }
  if (projected.count > 0) message += without_calls(trace);
  message += agreement(options, host, projected);
  answer.report.tables.push_back(std::move(table));
  return std::move(answer).answered(
      std::move(message),
      {{"host_average_ns", "On the host", one_decimal(host.average), ColumnType::duration},
       {"count", "Ranges", host.count, ColumnType::integer},
       {"warm_up_count", "Left out as warm-up", passes->warm_up.size(), ColumnType::integer},
       {"ranges", "Ranges matched", range, ColumnType::text}});
}

}  // namespace

Report ask_forward_time(Analysis& analysis, const AskOptions& options) {
  return ask_pass_time(analysis, options, PassKind::forward);
}

Report ask_backward_time(Analysis& analysis, const AskOptions& options) {
  return ask_pass_time(analysis, options, PassKind::backward);
}

Report ask_optimizer_time(Analysis& analysis, const AskOptions& options) {
  return ask_pass_time(analysis, options, PassKind::optimizer);
}

}  // namespace assay::trace
