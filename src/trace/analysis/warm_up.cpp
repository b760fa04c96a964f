#include "trace/analysis/warm_up.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "trace/analysis/api_class.hpp"
#include "trace/analysis/range_select.hpp"
#include "trace/analysis/summary.hpp"
#include "trace/events/events.hpp"

namespace assay::trace {
namespace {

/// How many of the first runs are slow for being first, at most half of them.
std::size_t slow_beginning(const std::vector<std::int64_t>& took) {
  constexpr double kSlow = 1.5;
  if (took.size() < 3) return 0;
  std::vector<std::int64_t> sorted = took;
  const double median = summarise(sorted).median;
  std::size_t slow = 0;
  while (slow < took.size() / 2 && static_cast<double>(took[slow]) > kSlow * median) ++slow;
  if (slow == 0) return 0;
  // Where runs are as slow later too, they are slow for what they do: a long prompt, a checkpoint.
  constexpr double kAsSlow = 0.8;
  const auto least = static_cast<double>(*std::min_element(took.begin(), took.begin() + slow));
  const auto later = static_cast<std::size_t>(std::count_if(
      took.begin() + slow, took.end(),
      [&](std::int64_t time) { return static_cast<double>(time) >= kAsSlow * least; }));
  return later >= 2 && later * 50 >= took.size() ? 0 : slow;
}

/// When a process launched kernels of which the profile ended too early to hold any.
struct LostLaunches {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  std::int64_t last = std::numeric_limits<std::int64_t>::min();
};

/// By process. Only launches after the last that is recorded count: those before may have failed,
/// or have been captured into a graph.
std::vector<LostLaunches> launches_lost_at_the_end(const Trace& trace) {
  constexpr std::int64_t kNothing = std::numeric_limits<std::int64_t>::max();
  const auto process_of = [&](std::uint32_t call) {
    return trace.threads[trace.calls.thread[call]].process;
  };
  std::vector<std::int64_t> recorded(trace.processes.size(), kNothing);  // until when
  for (const Work* work : trace.work()) {
    for (const std::uint32_t call : work->call) {
      if (call == kNone) continue;
      std::int64_t& until = recorded[process_of(call)];
      until = until == kNothing ? trace.calls.end[call] : std::max(until, trace.calls.end[call]);
    }
  }
  std::vector<LostLaunches> lost(trace.processes.size());
  const std::vector<ApiClass> classes = api_classes(trace);
  for (std::uint32_t call = static_cast<std::uint32_t>(trace.calls.size()); call-- > 0;) {
    const std::uint32_t process = process_of(call);
    const std::int64_t start = trace.calls.start[call];
    if (start <= recorded[process] || classes[trace.calls.name[call]] != ApiClass::launch) continue;
    lost[process].first = std::min(lost[process].first, start);
    lost[process].last = std::max(lost[process].last, start);
  }
  return lost;
}

}  // namespace

bool says_warm_up(std::string_view name) {
  std::string letters;  // "Warm-up", "warm_up" and "warmup" are one word
  for (const char c : name) {
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
      letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return letters.find("warmup") != std::string::npos ||
         letters.find("warmingup") != std::string::npos;
}

std::vector<std::uint8_t> warm_up_ranges(const Trace& trace) {
  return ranges_under(trace, says_warm_up);
}

std::string leave_out_cut_off(const Trace& trace, std::vector<std::uint32_t>& rows) {
  const std::vector<LostLaunches> lost = launches_lost_at_the_end(trace);
  const auto cut_off = [&](std::uint32_t row) {
    if ((trace.ranges.flags[row] & range_open) != 0) return true;
    const LostLaunches& launches = lost[trace.threads[trace.ranges.thread[row]].process];
    return trace.ranges.start[row] <= launches.last && launches.first <= trace.ranges.end[row];
  };
  const auto count = std::ranges::count_if(rows, cut_off);
  if (count == 0 || count == std::ssize(rows)) return {};
  std::erase_if(rows, cut_off);
  return fmt::format("{} that the profile cuts off {} left out.", count, count == 1 ? "is" : "are");
}

MeasuredRuns without_warm_up(const Trace& trace, const std::vector<std::uint8_t>& says_so,
                             const std::vector<std::uint32_t>& rows,
                             const std::vector<std::int64_t>& on_gpu, HostTime host) {
  MeasuredRuns out;
  for (const std::uint32_t row : rows) {
    (says_so[row] != 0 ? out.warm_up : out.measured).push_back(row);
  }
  if (out.measured.empty()) return {.measured = rows};  // all is warm-up: there is nothing else
  if (!out.warm_up.empty()) {
    out.why = fmt::format("{} of warm-up, told by ranges that say so, {} left out.",
                          out.warm_up.size(), out.warm_up.size() == 1 ? "is" : "are");
    return out;
  }
  std::vector<std::int64_t> on_host;
  if (host == HostTime::counts) {
    for (const std::uint32_t row : rows) on_host.push_back(trace.ranges.duration(row));
  }
  const std::size_t slow_on_host = slow_beginning(on_host);
  const auto slow = static_cast<std::ptrdiff_t>(std::max(slow_on_host, slow_beginning(on_gpu)));
  if (slow == 0) return out;
  out.warm_up.assign(rows.begin(), rows.begin() + slow);
  out.measured.assign(rows.begin() + slow, rows.end());
  out.by_gpu = std::cmp_greater(slow, slow_on_host);
  out.why = fmt::format(
      "The first{}, which took{} more than one and a half times the median, {} left out as "
      "warm-up.",
      slow == 1 ? "" : fmt::format(" {}", slow), out.by_gpu ? " the GPU" : "",
      slow == 1 ? "is" : "are");
  return out;
}

}  // namespace assay::trace
