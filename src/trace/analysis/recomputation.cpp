#include "trace/analysis/recomputation.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "trace/analysis/loops.hpp"
#include "trace/events/events.hpp"

namespace assay::trace {
namespace {

constexpr std::int64_t kNotYet = std::numeric_limits<std::int64_t>::min();

/// A byte per string: nonzero if a range of that name says backward.
std::vector<std::uint8_t> names_that_say_backward(const Trace& trace) {
  std::vector<std::uint8_t> says(trace.strings.size(), 0);
  std::vector<std::uint8_t> asked(trace.strings.size(), 0);
  for (const std::uint32_t name : trace.ranges.name) {
    if (asked[name] != 0) continue;
    asked[name] = 1;
    says[name] = says_backward(trace.strings.view(name)) ? 1 : 0;
  }
  return says;
}

/// Until when each thread is inside a range that says backward. Rows must come in order of start.
class Backward {
 public:
  explicit Backward(const Trace& trace)
      : trace_(trace),
        own_(trace.threads.size(), kNotYet),
        automatic_(trace.threads.size(), kNotYet),
        authors_(trace.processes.size()) {}

  /// Inside such a range of the row's own thread; one of the author's counts only where `any`.
  [[nodiscard]] bool around(std::uint32_t row, bool any) const {
    const std::uint32_t thread = trace_.ranges.thread[row];
    return trace_.ranges.end[row] <= (any ? own_ : automatic_)[thread];
  }

  /// Inside such a range of the author's that another thread of the process holds open.
  [[nodiscard]] bool elsewhere(std::uint32_t row) const {
    const std::uint32_t thread = trace_.ranges.thread[row];
    return std::ranges::any_of(authors_[trace_.threads[thread].process], [&](const auto& other) {
      return other.first != thread && trace_.ranges.end[row] <= other.second;
    });
  }

  void open(std::uint32_t row) {
    const std::uint32_t thread = trace_.ranges.thread[row];
    const std::int64_t end = trace_.ranges.end[row];
    own_[thread] = std::max(own_[thread], end);
    if ((trace_.ranges.flags[row] & range_automatic) != 0) {
      automatic_[thread] = std::max(automatic_[thread], end);
      return;
    }
    auto& of_process = authors_[trace_.threads[thread].process];
    const auto found = std::ranges::find(of_process, thread, [](const auto& o) { return o.first; });
    if (found == of_process.end()) {
      of_process.emplace_back(thread, end);
    } else {
      found->second = std::max(found->second, end);
    }
  }

 private:
  const Trace& trace_;
  std::vector<std::int64_t> own_;        // by thread
  std::vector<std::int64_t> automatic_;  // by thread, of libraries alone
  std::vector<std::vector<std::pair<std::uint32_t, std::int64_t>>> authors_;  // by process
};

/// Leaves out threads with a range that no other thread has: what is computed again was computed
/// before, and a loader's thread that happens to work meanwhile was not waited for.
void keep_those_that_repeat(const Trace& trace, std::vector<std::uint8_t>& threads) {
  if (std::ranges::find(threads, 1) == threads.end()) return;
  const auto key_of = [&](std::uint32_t row) {
    return (std::uint64_t{trace.threads[trace.ranges.thread[row]].process} << 32U) |
           trace.ranges.name[row];
  };
  const auto is_authors = [&](std::uint32_t row) {
    return (trace.ranges.flags[row] & range_automatic) == 0;
  };
  std::unordered_set<std::uint64_t> before;
  for (std::uint32_t row = 0; row < trace.ranges.size(); ++row) {
    if (is_authors(row) && threads[trace.ranges.thread[row]] == 0) before.insert(key_of(row));
  }
  for (std::uint32_t row = 0; row < trace.ranges.size(); ++row) {
    std::uint8_t& thread = threads[trace.ranges.thread[row]];
    if (thread != 0 && is_authors(row) && !before.contains(key_of(row))) thread = 0;
  }
}

}  // namespace

bool says_backward(std::string_view name) {
  // Most names are of neither kind, and words cost more than this.
  if (!name.contains("ackward") && !name.contains("BACKWARD") && !name.contains("bwd") &&
      !name.contains("Bwd") && !name.contains("BWD")) {
    return false;
  }
  bool says = false;
  for (const std::string& word : name_words(name)) {
    if (word == "forward" || word == "fwd") return false;
    says |= word == "backward" || word == "bwd";
  }
  return says;
}

Recomputation find_recomputation(const Trace& trace) {
  Recomputation out{.ranges = std::vector<std::uint8_t>(trace.ranges.size(), 0),
                    .threads = std::vector<std::uint8_t>(trace.threads.size(), 0)};
  const std::vector<std::uint8_t> says = names_that_say_backward(trace);
  if (std::ranges::find(says, 1) == says.end()) return out;
  Backward backward(trace);
  std::vector<std::uint8_t> has_others(trace.threads.size(), 0);
  for (std::uint32_t row = 0; row < trace.ranges.size(); ++row) {
    const std::uint32_t thread = trace.ranges.thread[row];
    const bool authors = (trace.ranges.flags[row] & range_automatic) == 0;
    if (authors) {
      out.ranges[row] = backward.around(row, true) ? 1 : 0;
      const bool works_for_it = backward.around(row, false) || backward.elsewhere(row);
      (works_for_it ? out.threads : has_others)[thread] = 1;
    }
    if (says[trace.ranges.name[row]] != 0) backward.open(row);
  }
  for (std::size_t thread = 0; thread < out.threads.size(); ++thread) {
    if (has_others[thread] != 0) out.threads[thread] = 0;
  }
  keep_those_that_repeat(trace, out.threads);
  for (std::uint32_t row = 0; row < trace.ranges.size(); ++row) {
    if ((trace.ranges.flags[row] & range_automatic) != 0) continue;
    if (out.threads[trace.ranges.thread[row]] != 0) out.ranges[row] = 1;
  }
  return out;
}

}  // namespace assay::trace
