#include "trace/analysis/gaps.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <queue>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "trace/analysis/api_class.hpp"
#include "trace/analysis/summary.hpp"
#include "trace/analysis/within.hpp"
#include "trace/analysis/work_order.hpp"
#include "trace/events/events.hpp"
#include "trace/events/range_name.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

/// For each call, the one its thread made before it.
std::vector<std::uint32_t> previous_calls(const Trace& trace) {
  std::vector<std::uint32_t> last(trace.threads.size(), kNone);
  std::vector<std::uint32_t> previous(trace.calls.size());
  for (std::uint32_t call = 0; call < previous.size(); ++call) {
    previous[call] = std::exchange(last[trace.calls.thread[call]], call);
  }
  return previous;
}

GapCause cause_of(ApiClass api) {
  switch (api) {
    case ApiClass::synchronise:
      return GapCause::host_waiting;
    case ApiClass::allocate:
      return GapCause::allocating;
    default:
      return GapCause::other_api_call;
  }
}

/// A byte per name: nonzero where a range of this name or domain is a call of MPI. Looked up once,
/// since there are millions of ranges and few names.
std::vector<std::uint8_t> mpi_names(const Trace& trace) {
  std::vector<std::uint8_t> out(trace.strings.size(), 0);
  for (std::uint32_t id = 0; id < out.size(); ++id) {
    const std::string_view text = trace.strings.view(id);
    out[id] = text == "MPI" || text.starts_with("MPI_") ? 1 : 0;
  }
  return out;
}

/// MPI calls of each thread that are inside no other, in order.
std::vector<std::vector<Window>> mpi_calls(const Trace& trace) {
  std::vector<std::vector<Window>> calls(trace.threads.size());
  const std::vector<std::uint8_t> names = mpi_names(trace);
  if (std::ranges::find(names, 1) == names.end()) return calls;
  for (std::size_t row = 0; row < trace.ranges.size(); ++row) {
    if (names[trace.ranges.domain[row]] == 0 && names[trace.ranges.name[row]] == 0) continue;
    auto& own = calls[trace.ranges.thread[row]];
    if (!own.empty() && trace.ranges.end[row] <= own.back().end) continue;
    own.push_back({.start = trace.ranges.start[row], .end = trace.ranges.end[row]});
  }
  return calls;
}

class GapJudge {
 public:
  explicit GapJudge(const Trace& trace)
      : trace_(trace),
        classes_(api_classes(trace)),
        previous_(previous_calls(trace)),
        mpi_(mpi_calls(trace)) {}

  /// Splits the gap among what the launching thread did in it; the largest part is the cause.
  void judge(Gap& gap) const {
    const Work& work = *trace_.work()[static_cast<std::size_t>(gap.after.kind)];
    const std::uint32_t launch = work.call[gap.after.row];
    if (launch == kNone) return;
    const Calls& calls = trace_.calls;
    if (calls.start[launch] <= gap.start) {
      // A synchronous copy is its own launch: the call lasts as long as the copy does.
      gap.cause = calls.end[launch] > gap.start ? GapCause::launching : GapCause::queued;
      gap.call = launch;
      return;
    }
    std::array<std::int64_t, kGapCauseNames.size()> parts{};
    const std::int64_t launched = std::min(calls.start[launch], gap.end);
    parts[index(GapCause::launching)] = gap.end - launched;
    std::int64_t in_calls = 0;
    std::int64_t longest = 0;
    std::int64_t from = launched;  // calls of a thread may nest: count their union, backwards
    for (std::uint32_t call = previous_[launch]; call != kNone; call = previous_[call]) {
      const std::int64_t start = std::max(calls.start[call], gap.start);
      const std::int64_t end = std::min(calls.end[call], from);
      if (end > start) {
        parts[index(cause_of(classes_[calls.name[call]]))] += end - start;
        in_calls += end - start;
        if (end - start > longest) {
          longest = end - start;
          gap.call = call;
        }
        from = start;
      }
      if (calls.start[call] <= gap.start) break;
    }
    const std::int64_t outside = launched - gap.start - in_calls;
    const std::int64_t in_mpi =
        std::min(outside, time_in_mpi(calls.thread[launch], gap.start, launched));
    parts[index(GapCause::host_in_mpi)] = in_mpi;
    parts[index(GapCause::host_elsewhere)] = outside - in_mpi;
    const auto largest = std::ranges::max_element(parts);
    gap.cause = static_cast<GapCause>(largest - parts.begin());
    if (gap.cause == GapCause::launching) gap.call = launch;
    if (gap.cause == GapCause::host_elsewhere || gap.cause == GapCause::host_in_mpi) {
      gap.call = kNone;
    }
  }

 private:
  static std::size_t index(GapCause cause) { return static_cast<std::size_t>(cause); }

  /// CUDA calls that MPI itself makes count as MPI's no less: it is their union that matters.
  [[nodiscard]] std::int64_t time_in_mpi(std::uint32_t thread, std::int64_t start,
                                         std::int64_t end) const {
    const auto& calls = mpi_[thread];
    auto at = std::ranges::lower_bound(calls, start, {}, &Window::end);
    std::int64_t total = 0;
    for (; at != calls.end() && at->start < end; ++at) {
      total += std::min(at->end, end) - std::max(at->start, start);
    }
    return total;
  }

  const Trace& trace_;
  std::vector<ApiClass> classes_;         // by name
  std::vector<std::uint32_t> previous_;   // by call
  std::vector<std::vector<Window>> mpi_;  // by thread
};

/// Finds the ranges of a thread around a moment.
class ThreadRanges {
 public:
  explicit ThreadRanges(const Trace& trace)
      : ranges_(trace.ranges), rows_(trace.threads.size()), around_(trace.ranges.size(), kNone) {
    for (std::uint32_t row = 0; row < ranges_.size(); ++row) {
      auto& own = rows_[ranges_.thread[row]];
      std::uint32_t outer = own.empty() ? kNone : own.back();
      while (outer != kNone && ranges_.end[outer] <= ranges_.start[row]) outer = around_[outer];
      around_[row] = outer;
      own.push_back(row);
    }
  }

  /// The innermost that holds more than half of the time, and so its middle; kNone: none does.
  [[nodiscard]] std::uint32_t holding(std::uint32_t thread, std::int64_t start,
                                      std::int64_t end) const {
    const std::int64_t middle = start + (end - start) / 2;
    const auto& own = rows_[thread];
    const auto after = std::ranges::upper_bound(
        own, middle, {}, [&](std::uint32_t row) { return ranges_.start[row]; });
    std::uint32_t row = after == own.begin() ? kNone : *(after - 1);
    while (row != kNone) {
      const std::int64_t held =
          std::min(end, ranges_.end[row]) - std::max(start, ranges_.start[row]);
      if (2 * held > end - start) break;
      row = around_[row];
    }
    return row;
  }

 private:
  const Ranges& ranges_;
  std::vector<std::vector<std::uint32_t>> rows_;  // by thread, in order of start
  std::vector<std::uint32_t> around_;             // by range: the one around its start
};

/// The longest gaps seen, at most `limit`.
class Longest {
 public:
  explicit Longest(std::size_t limit) : limit_(limit) {}

  void add(const Gap& gap) {
    if (heap_.size() == limit_ && (limit_ == 0 || gap.duration() <= heap_.top().duration())) return;
    heap_.push(gap);
    if (heap_.size() > limit_) heap_.pop();
  }

  [[nodiscard]] std::vector<Gap> take() {
    std::vector<Gap> out;
    for (; !heap_.empty(); heap_.pop()) out.push_back(heap_.top());
    std::ranges::reverse(out);
    return out;
  }

 private:
  struct Longer {
    bool operator()(const Gap& a, const Gap& b) const {
      if (a.duration() != b.duration()) return a.duration() > b.duration();
      return a.start < b.start;
    }
  };
  std::size_t limit_;
  std::priority_queue<Gap, std::vector<Gap>, Longer> heap_;
};

// Gaps between launches that follow each other say nothing of what the program does.
constexpr std::int64_t kWorthPlacing = 20'000;  // ns
// Far more than any launch takes.
constexpr std::int64_t kLong = 1'000'000;  // ns

/// The work that kept a device busy until `until`.
struct Frontier {
  bool any = false;
  std::int64_t until = 0;
  WorkRow last;
};

/// Windows begin and end with work, so a gap lies in one of them or in none.
bool counts(const std::vector<Window>& windows, std::int64_t start, std::int64_t end) {
  if (windows.empty()) return true;
  const std::uint32_t window = window_at(windows, start);
  return window != kNone && end <= windows[window].end;
}

}  // namespace

std::string_view explain(GapCause cause) {
  switch (cause) {
    case GapCause::host_elsewhere:
      return "the launching thread was outside CUDA (Python, data loading, another library)";
    case GapCause::host_in_mpi:
      return "the launching thread was in MPI (waiting for other ranks)";
    case GapCause::host_waiting:
      return "the launching thread was in a synchronising call and launched only after it";
    case GapCause::allocating:
      return "the launching thread was allocating or freeing memory";
    case GapCause::other_api_call:
      return "the launching thread was in another CUDA call";
    case GapCause::launching:
      return "the call that launched the next work was under way";
    case GapCause::queued:
      return "the next work had been launched before and waited for an event, a stream or the GPU";
    case GapCause::not_recorded:
      break;
  }
  return "the profile does not hold the call that launched the next work";
}

std::string because(GapCause cause) {
  if (cause != GapCause::not_recorded) return fmt::format("because {}", explain(cause));
  return "for a reason that cannot be told: the profile does not hold the calls that launched the "
         "next work";
}

bool calls_mpi(const Trace& trace) {
  return std::ranges::any_of(mpi_calls(trace), [](const auto& calls) { return !calls.empty(); });
}

std::string outside_in(const DeviceGaps& gaps) {
  const std::int64_t whole =
      gaps.by_cause[static_cast<std::size_t>(GapCause::host_elsewhere)].total;
  const auto most =
      std::ranges::max_element(gaps.outside_in, {}, [](const auto& entry) { return entry.second; });
  if (most == gaps.outside_in.end() || most->second * 4 < whole) return {};
  return fmt::format(", {}% of that in '{}'", time_share_pct(most->second, whole), most->first);
}

GapReport find_gaps(const Trace& trace, std::size_t keep_longest) {
  const std::vector<std::int64_t> ids = trace.devices();
  const GapJudge judge(trace);
  GapReport report;
  report.devices.resize(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) report.devices[i].device = ids[i];
  std::vector<Frontier> frontiers(ids.size());
  std::vector<std::size_t> device_of;
  device_of.reserve(trace.queues.size());
  for (const Queue& queue : trace.queues) {
    device_of.push_back(static_cast<std::size_t>(
        std::lower_bound(ids.begin(), ids.end(), queue.device) - ids.begin()));
  }
  const auto windows = device_windows(trace);
  Longest longest(keep_longest);
  std::optional<ThreadRanges> ranges;  // made when it is asked
  const auto range_of = [&](const Gap& gap) {
    const Work& work = *trace.work()[static_cast<std::size_t>(gap.after.kind)];
    const std::uint32_t call = work.call[gap.after.row];
    if (call == kNone) return kNone;
    // What had been launched before waited for no host: its range is that of its launch.
    const bool launched = gap.cause == GapCause::queued || gap.cause == GapCause::launching;
    if (!ranges) ranges.emplace(trace);
    return ranges->holding(trace.calls.thread[call], launched ? trace.calls.start[call] : gap.start,
                           launched ? trace.calls.end[call] + 1 : gap.end);
  };
  std::map<std::pair<std::size_t, std::uint32_t>, std::int64_t> outside;  // by device and name

  for_each_work(trace, [&](WorkRow at, const Work& work) {
    const std::size_t device = device_of[work.queue[at.row]];
    Frontier& frontier = frontiers[device];
    if (frontier.any && work.start[at.row] > frontier.until &&
        counts(windows[device], frontier.until, work.start[at.row])) {
      Gap gap{.device = ids[device],
              .start = frontier.until,
              .end = work.start[at.row],
              .before = frontier.last,
              .after = at};
      judge.judge(gap);
      DeviceGaps& totals = report.devices[device];
      if (gap.cause == GapCause::host_elsewhere && gap.duration() >= kLong) {
        ++totals.long_outside.count;
        totals.long_outside.total += gap.duration();
      }
      if (gap.cause == GapCause::host_elsewhere && gap.duration() >= kWorthPlacing) {
        const std::uint32_t range = range_of(gap);
        if (range != kNone) outside[{device, trace.ranges.name[range]}] += gap.duration();
      }
      for (CauseTotal* total :
           {&totals.all, &totals.by_cause[static_cast<std::size_t>(gap.cause)]}) {
        ++total->count;
        total->total += gap.duration();
      }
      longest.add(gap);
    }
    if (!frontier.any || work.end[at.row] > frontier.until) {
      frontier = {.any = true, .until = work.end[at.row], .last = at};
    }
  });
  for (const auto& [key, time] : outside) {
    report.devices[key.first].outside_in[numberless(trace.strings.view(key.second))] += time;
  }
  report.longest = longest.take();
  for (Gap& gap : report.longest) gap.range = range_of(gap);
  return report;
}

std::string describe(const Trace& trace, WorkRow work) {
  switch (work.kind) {
    case WorkKind::kernel:
      return fmt::format(
          "kernel {}",
          trace.strings.view(trace.functions[trace.kernels.function[work.row]].short_name));
    case WorkKind::copy:
      return fmt::format("copy {}", to_string(trace.copies.kind[work.row]));
    case WorkKind::fill:
      return "memory set";
    case WorkKind::graph:
      break;
  }
  return fmt::format("graph {}", trace.graphs.graph[work.row]);
}

Table gap_cause_table(const GapReport& report) {
  Table table{.name = "idle_causes",
              .title = "Why each GPU was idle",
              .columns = {{"device", "GPU", ColumnType::integer},
                          {"idle_pct", "Of idle", ColumnType::percent},
                          {"total_ns", "Time", ColumnType::duration},
                          {"gaps", "Gaps", ColumnType::integer},
                          {"cause", "Cause", ColumnType::text},
                          {"meaning", "Meaning", ColumnType::text}}};
  for (const DeviceGaps& device : report.devices) {
    std::vector<std::pair<GapCause, CauseTotal>> causes;
    for (std::size_t i = 0; i < device.by_cause.size(); ++i) {
      if (device.by_cause[i].count > 0) {
        causes.emplace_back(static_cast<GapCause>(i), device.by_cause[i]);
      }
    }
    std::ranges::stable_sort(
        causes, [](const auto& a, const auto& b) { return a.second.total > b.second.total; });
    for (const auto& [cause, total] : causes) {
      table.add_row(
          {device.device,
           share_pct(static_cast<double>(total.total), static_cast<double>(device.all.total)),
           total.total, total.count, to_string(cause), explain(cause)});
    }
  }
  return table;
}

Table gap_table(const Trace& trace, const GapReport& report) {
  Table table{.name = "idle_gaps",
              .title = "The longest stretches without work",
              .columns = {{"device", "GPU", ColumnType::integer},
                          {"start_ns", "From", ColumnType::duration},
                          {"duration_ns", "Duration", ColumnType::duration},
                          {"cause", "Cause", ColumnType::text},
                          {"api_call", "In", ColumnType::text},
                          {"range", "Within range", ColumnType::text},
                          {"before", "After", ColumnType::text},
                          {"after", "Before", ColumnType::text}}};
  for (const Gap& gap : report.longest) {
    table.add_row(
        {gap.device, gap.start, gap.duration(), to_string(gap.cause),
         gap.call == kNone ? Cell() : Cell(trace.strings.view(trace.calls.name[gap.call])),
         gap.range == kNone ? Cell() : Cell(trace.strings.view(trace.ranges.name[gap.range])),
         describe(trace, gap.before), describe(trace, gap.after)});
  }
  return table;
}

}  // namespace assay::trace
