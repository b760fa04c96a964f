#include "trace/analysis/loops.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "trace/analysis/projection.hpp"
#include "trace/events/events.hpp"
#include "trace/events/interner.hpp"
#include "trace/events/range_name.hpp"
#include "trace/events/string_pool.hpp"
#include "trace/utf8.hpp"

namespace assay::trace {
namespace {

/// Numbers each loop that a range may belong to: by thread and by name without numbers.
class LoopKeys {
 public:
  explicit LoopKeys(const Trace& trace) : trace_(trace), of_name_(trace.strings.size(), kNone) {}

  /// kNone where the range is not the author's.
  std::uint32_t of(std::uint32_t row) {
    const Ranges& ranges = trace_.ranges;
    if ((ranges.flags[row] & range_automatic) != 0) return kNone;
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

/// Whether no range of one touches a range of the other.
bool apart(const Trace& trace, const Loop& a, const Loop& b) {
  std::size_t j = 0;
  for (const std::uint32_t row : a.rows) {
    while (j < b.rows.size() && trace.ranges.end[b.rows[j]] <= trace.ranges.start[row]) ++j;
    if (j < b.rows.size() && trace.ranges.start[b.rows[j]] < trace.ranges.end[row]) return false;
  }
  return true;
}

/// Whether the other runs between most runs of the loop and the next, as tokens are decoded between
/// two prompts.
bool mostly_between(const Trace& trace, const Loop& loop, const Loop& other) {
  std::size_t j = 0;
  std::size_t between = 0;
  for (std::size_t i = 0; i + 1 < loop.rows.size(); ++i) {
    const std::int64_t end = trace.ranges.end[loop.rows[i]];
    while (j < other.rows.size() && trace.ranges.start[other.rows[j]] < end) ++j;
    if (j == other.rows.size()) break;
    if (trace.ranges.start[other.rows[j]] < trace.ranges.start[loop.rows[i + 1]]) ++between;
  }
  return 2 * between >= loop.rows.size() && loop.rows.size() > 2;
}

/// Whether the other runs between runs of the loop, however often.
bool comes_between(const Trace& trace, const Loop& loop, const Loop& other) {
  const std::int64_t first = trace.ranges.start[loop.rows.front()];
  const std::int64_t last = trace.ranges.start[loop.rows.back()];
  return std::ranges::any_of(other.rows, [&](std::uint32_t row) {
    return first < trace.ranges.start[row] && trace.ranges.start[row] < last;
  });
}

}  // namespace

std::vector<Loop> find_loops(const Trace& trace, const std::vector<std::uint8_t>& warm_up,
                             const std::vector<Projected>& projected) {
  LoopKeys keys(trace);
  std::vector<Loop> loops;
  std::vector<std::int64_t> until;  // by loop
  for (std::uint32_t row = 0; row < trace.ranges.size(); ++row) {
    if (warm_up[row] != 0) continue;
    const std::uint32_t key = keys.of(row);
    if (key == kNone) continue;
    if (key == loops.size()) {
      loops.push_back({.name = std::string(keys.name(key)), .thread = trace.ranges.thread[row]});
      until.push_back(std::numeric_limits<std::int64_t>::min());
    }
    if (trace.ranges.end[row] <= until[key]) continue;  // inside another of the loop
    until[key] = trace.ranges.end[row];
    Loop& loop = loops[key];
    loop.rows.push_back(row);
    loop.host_time += trace.ranges.duration(row);
    loop.kernels += projected[row].kernels;
    loop.kernel_time += projected[row].kernel_time + projected[row].graph_time;
  }
  std::erase_if(loops, [](const Loop& loop) { return loop.rows.size() < 2; });
  return loops;
}

std::vector<std::int64_t> measured_kernel_time(const Trace& trace,
                                               const std::vector<Projected>& projected,
                                               const std::vector<std::uint8_t>& warm_up) {
  std::vector<std::int64_t> time(trace.processes.size(), 0);
  for (const Work* work :
       {static_cast<const Work*>(&trace.kernels), static_cast<const Work*>(&trace.graphs)}) {
    for (std::size_t row = 0; row < work->size(); ++row) {
      if (work->call[row] == kNone) continue;  // in whose range it was cannot be told
      time[trace.queues[work->queue[row]].process] += work->duration(row);
    }
  }
  std::vector<std::int64_t> until(trace.threads.size(), std::numeric_limits<std::int64_t>::min());
  for (std::size_t row = 0; row < trace.ranges.size(); ++row) {
    const std::uint32_t thread = trace.ranges.thread[row];
    if (warm_up[row] == 0 || trace.ranges.end[row] <= until[thread]) continue;
    until[thread] = trace.ranges.end[row];
    time[trace.threads[thread].process] -= projected[row].kernel_time + projected[row].graph_time;
  }
  return time;
}

std::vector<const Loop*> stages_beside(const Trace& trace, const Loop& loop,
                                       const std::vector<Loop>& loops) {
  std::vector<const Loop*> stages;
  const bool by_kernels = !trace.kernels.empty() || !trace.graphs.empty();
  for (const Loop& other : loops) {
    if (&other == &loop || other.thread != loop.thread) continue;
    const auto count = static_cast<double>(loop.rows.size());
    const bool as_often =
        std::abs(static_cast<double>(other.rows.size()) - count) <= 0.1 * count + 1 ||
        mostly_between(trace, loop, other);
    const std::int64_t least = as_often ? 20 : 4;  // the parts of the loop's time that count
    const std::int64_t time = by_kernels ? other.kernel_time : other.host_time;
    if (time <= 0 || time * least < (by_kernels ? loop.kernel_time : loop.host_time)) continue;
    if (!as_often && !comes_between(trace, loop, other)) continue;
    if (apart(trace, loop, other)) stages.push_back(&other);
  }
  return stages;
}

std::string list_names(const std::vector<const Loop*>& loops) {
  constexpr std::size_t kShown = 5;
  constexpr std::size_t kWidth = 80;
  std::string out;
  for (std::size_t i = 0; i < std::min(loops.size(), kShown); ++i) {
    out += fmt::format("{}'{}'", i == 0 ? "" : ", ", shorten_middle(loops[i]->name, kWidth));
  }
  if (loops.size() > kShown) out += fmt::format(" and {} others", loops.size() - kShown);
  return out;
}

std::vector<std::string> name_words(std::string_view name) {
  const auto is = [&](std::size_t at, int (*kind)(int)) {
    return at < name.size() && kind(static_cast<unsigned char>(name[at])) != 0;
  };
  std::vector<std::string> words(1);
  for (std::size_t at = 0; at < name.size(); ++at) {
    const std::size_t id = id_length(name, at);
    if (id > 0 || !is(at, std::isalpha)) {
      if (!words.back().empty()) words.emplace_back();
      at += std::max<std::size_t>(id, 1) - 1;
      continue;
    }
    // "ForwardPass" and "FSDPUnit" are two words each.
    const bool begins =
        at > 0 && is(at, std::isupper) &&
        (is(at - 1, std::islower) || (is(at - 1, std::isupper) && is(at + 1, std::islower)));
    if (begins && !words.back().empty()) words.emplace_back();
    words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(name[at])));
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

bool says_layer(std::string_view name) {
  constexpr std::array<std::string_view, 5> kLayer = {"layer", "layers", "block", "blocks",
                                                      "submodule"};
  return std::ranges::any_of(name_words(name), [&](const std::string& word) {
    return std::ranges::find(kLayer, word) != kLayer.end();
  });
}

}  // namespace assay::trace
