#include "trace/analysis/iterations.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/error.hpp"
#include "base/result.hpp"
#include "trace/analysis/attribution.hpp"
#include "trace/analysis/projection.hpp"
#include "trace/analysis/range_select.hpp"
#include "trace/analysis/summary.hpp"
#include "trace/events/events.hpp"
#include "trace/events/interner.hpp"
#include "trace/events/range_name.hpp"
#include "trace/events/string_pool.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

bool says_loop(std::string_view name) {
  constexpr std::array<std::string_view, 4> kWords = {"step", "iter", "batch", "epoch"};
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return std::ranges::any_of(
      kWords, [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

/// Ranges of one thread whose names differ in numbers alone.
struct Loop {
  std::string name;
  std::uint64_t count = 0;
  std::int64_t total = 0;
};

/// Numbers each loop that a range may belong to: by thread and by name without numbers.
class Loops {
 public:
  explicit Loops(const Trace& trace) : trace_(trace), of_name_(trace.strings.size(), kNone) {}

  /// kNone where the range is not the author's or spans threads.
  std::uint32_t of(std::uint32_t row) {
    const Ranges& ranges = trace_.ranges;
    if ((ranges.flags[row] & (range_automatic | range_cross_thread)) != 0) return kNone;
    std::uint32_t& name = of_name_[ranges.name[row]];
    if (name == kNone) {
      name = names_.intern(numberless(trace_.strings.view(ranges.name[row])));
    }
    return keys_({ranges.thread[row], name});
  }

  [[nodiscard]] std::string_view name(std::uint32_t loop) const {
    return names_.view(keys_.keys()[loop].second);
  }

 private:
  using Key = std::pair<std::uint32_t, std::uint32_t>;
  struct KeyHash {
    std::size_t operator()(const Key& key) const { return hash_of(key.first, key.second); }
  };
  const Trace& trace_;
  std::vector<std::uint32_t> of_name_;
  StringPool names_;
  Interner<Key, KeyHash> keys_;
};

/// The ranges of the most likely loop, as a byte per range; and its name.
Result<std::pair<std::vector<std::uint8_t>, std::string>> find_loop(const Trace& trace) {
  Loops loops(trace);
  std::vector<std::uint32_t> loop_of(trace.ranges.size());
  std::vector<Loop> found;
  for (std::uint32_t row = 0; row < loop_of.size(); ++row) {
    loop_of[row] = loops.of(row);
    if (loop_of[row] == kNone) continue;
    if (loop_of[row] == found.size()) {
      found.push_back({.name = std::string(loops.name(loop_of[row]))});
    }
    ++found[loop_of[row]].count;
    found[loop_of[row]].total += trace.ranges.duration(row);
  }
  std::uint32_t best = kNone;
  std::pair<bool, std::int64_t> best_rank = {false, -1};
  for (std::uint32_t loop = 0; loop < found.size(); ++loop) {
    const std::pair rank = {says_loop(found[loop].name), found[loop].total};
    if (found[loop].count < 2 || rank <= best_rank) continue;
    best = loop;
    best_rank = rank;
  }
  if (best == kNone) {
    return fail(ErrorCode::not_found,
                "no range of the program's author repeats: name the one that is an iteration");
  }
  std::vector<std::uint8_t> rows(trace.ranges.size(), 0);
  for (std::size_t row = 0; row < rows.size(); ++row) rows[row] = loop_of[row] == best ? 1 : 0;
  return std::pair{std::move(rows), found[best].name};
}

}  // namespace

Result<Iterations> find_iterations(const Trace& trace, const Attribution& attribution,
                                   std::string_view text) {
  Iterations out;
  std::vector<std::uint8_t> chosen;
  if (text.empty()) {
    ASSAY_TRY(auto loop, find_loop(trace));
    std::tie(chosen, out.name) = std::move(loop);
    out.chosen = "the range that repeats and takes the most time";
  } else {
    ASSAY_TRY(chosen, select_ranges(trace, text));
    out.name = text;
    out.chosen = "as asked";
  }
  const std::vector<Projected> projected = project(trace, attribution, RangeRule::both);
  std::vector<std::int64_t> durations;
  for (const std::uint32_t row : outermost(trace, chosen)) {
    const Projected& range = projected[row];
    out.list.push_back({.range = row,
                        .kernels = range.kernels,
                        .kernel_time = range.kernel_time,
                        .gpu_busy = range.busy,
                        .gpu_span = range.duration()});
    durations.push_back(trace.ranges.duration(row));
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
                          {"range", "Range", ColumnType::text}}};
  for (std::size_t i = 0; i < iterations.list.size(); ++i) {
    const Iteration& one = iterations.list[i];
    const std::int64_t duration = trace.ranges.duration(one.range);
    table.add_row({i, trace.ranges.start[one.range], duration,
                   share_pct(static_cast<double>(duration), iterations.duration.median),
                   one.gpu_busy, one.gpu_span, one.kernel_time, one.kernels,
                   trace.strings.view(trace.ranges.name[one.range])});
  }
  table.notes.push_back(
      fmt::format("Iterations are the ranges '{}': {}. GPU figures are of the "
                  "work launched inside them, from any thread.",
                  iterations.name, iterations.chosen));
  return table;
}

}  // namespace assay::trace
