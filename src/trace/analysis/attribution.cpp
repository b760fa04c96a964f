#include "trace/analysis/attribution.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "trace/analysis/recomputation.hpp"
#include "trace/analysis/summary.hpp"
#include "trace/events/events.hpp"

namespace assay::trace {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

/// The ranges open at a moving moment. Rows must be offered in order of start.
class OpenRanges {
 public:
  explicit OpenRanges(const Ranges& ranges) : ranges_(&ranges) {}

  void queue(std::uint32_t row) { waiting_.push_back(row); }

  /// Opens what starts by `moment` and closes what ended before it.
  void advance(std::int64_t moment) {
    for (; next_ < waiting_.size() && ranges_->start[waiting_[next_]] <= moment; ++next_) {
      open_.push_back(waiting_[next_]);
      first_end_ = std::min(first_end_, ranges_->end[waiting_[next_]]);
      set_ = kNone;
    }
    if (first_end_ >= moment) return;
    std::erase_if(open_, [&](std::uint32_t row) { return ranges_->end[row] < moment; });
    first_end_ = kNever;
    for (const std::uint32_t row : open_) first_end_ = std::min(first_end_, ranges_->end[row]);
    set_ = kNone;
  }

  [[nodiscard]] const std::vector<std::uint32_t>& open() const { return open_; }
  /// When the first of the open ranges ends.
  [[nodiscard]] std::int64_t first_end() const { return first_end_; }

  /// The number under which `sets` holds the open ranges that last until `end`.
  std::uint32_t set_until(std::int64_t end, RangeSets& sets) {
    if (open_.empty()) return 0;
    if (first_end_ >= end) {
      if (set_ == kNone) set_ = sets.add(open_);
      return set_;
    }
    std::vector<std::uint32_t> lasting;
    for (const std::uint32_t row : open_) {
      if (ranges_->end[row] >= end) lasting.push_back(row);
    }
    return sets.add(lasting);
  }

 private:
  const Ranges* ranges_;
  std::vector<std::uint32_t> waiting_;
  std::size_t next_ = 0;
  std::vector<std::uint32_t> open_;
  std::int64_t first_end_ = kNever;
  std::uint32_t set_ = kNone;  // of open_; kNone: changed since it was stored
};

std::vector<std::uint8_t> calls_to_place(const Trace& trace, CallsToPlace calls) {
  std::vector<std::uint8_t> launches(trace.calls.size(), calls == CallsToPlace::all ? 1 : 0);
  for (const Work* work : trace.work()) {
    for (const std::uint32_t call : work->call) {
      if (call != kNone) launches[call] = 1;
    }
  }
  return launches;
}

bool is_authors(const Ranges& ranges, std::uint32_t row) {
  return (ranges.flags[row] & range_automatic) == 0;
}

void attribute_same_thread(const Trace& trace, std::span<const std::uint8_t> launches,
                           RangeSets& sets) {
  const Ranges& ranges = trace.ranges;
  std::vector<OpenRanges> threads(trace.threads.size(), OpenRanges(ranges));
  for (std::uint32_t row = 0; row < ranges.size(); ++row) {
    if ((ranges.flags[row] & range_cross_thread) == 0) threads[ranges.thread[row]].queue(row);
  }
  for (std::uint32_t call = 0; call < trace.calls.size(); ++call) {
    if (launches[call] == 0) continue;
    OpenRanges& open = threads[trace.calls.thread[call]];
    open.advance(trace.calls.start[call]);
    sets.assign(call, open.set_until(trace.calls.end[call], sets));
  }
}

/// Adds calls to the ranges that other threads hold open.
class OtherThreads {
 public:
  OtherThreads(const Trace& trace, Attribution& out)
      : trace_(trace), out_(out), for_backward_(find_recomputation(trace).threads) {
    processes_.assign(trace.processes.size(), OpenRanges(trace.ranges));
    for (std::uint32_t row = 0; row < trace.ranges.size(); ++row) {
      if (!is_authors(trace.ranges, row)) continue;
      processes_[trace.threads[trace.ranges.thread[row]].process].queue(row);
      any_cross_ |= (trace.ranges.flags[row] & range_cross_thread) != 0;
    }
  }

  void add(std::uint32_t call) {
    const auto own = out_.same_thread.of_call(call);
    const std::uint32_t thread = trace_.calls.thread[call];
    const bool has_own =
        for_backward_[thread] == 0 &&
        std::ranges::any_of(own, [&](std::uint32_t row) { return is_authors(trace_.ranges, row); });
    if (has_own && !any_cross_) return;
    OpenRanges& open = processes_[trace_.threads[thread].process];
    open.advance(trace_.calls.start[call]);
    claim(call, thread, has_own, open.open());
  }

 private:
  /// A range that two threads share belongs to none of them alone: it claims what has ranges of its
  /// own thread too.
  void claim(std::uint32_t call, std::uint32_t thread, bool has_own,
             std::span<const std::uint32_t> open) {
    claimants_.clear();
    bool ambiguous = false;
    for (const std::uint32_t row : open) {
      if (trace_.ranges.end[row] < trace_.calls.end[call]) continue;
      const bool crosses = (trace_.ranges.flags[row] & range_cross_thread) != 0;
      if (!crosses && (has_own || trace_.ranges.thread[row] == thread)) continue;
      ambiguous |= !claimants_.empty() &&
                   trace_.ranges.thread[claimants_.front()] != trace_.ranges.thread[row];
      claimants_.push_back(row);
    }
    if (claimants_.empty()) return;
    if (claimants_ != last_) {
      last_ = claimants_;
      last_set_ = out_.other_thread.add(last_);
    }
    out_.other_thread.assign(call, last_set_);
    out_.ambiguous[call] = ambiguous ? 1 : 0;
  }

  const Trace& trace_;
  Attribution& out_;
  std::vector<std::uint8_t> for_backward_;  // by thread
  std::vector<OpenRanges> processes_;
  bool any_cross_ = false;
  std::vector<std::uint32_t> claimants_;
  std::vector<std::uint32_t> last_;
  std::uint32_t last_set_ = 0;
};

}  // namespace

std::uint32_t RangeSets::add(std::span<const std::uint32_t> members) {
  if (members.empty()) return 0;
  members_.insert(members_.end(), members.begin(), members.end());
  begin_.push_back(members_.size());
  return static_cast<std::uint32_t>(begin_.size() - 2);
}

Attribution attribute(const Trace& trace, CallsToPlace which) {
  const std::size_t calls = trace.calls.size();
  Attribution out{.same_thread = RangeSets(calls),
                  .other_thread = RangeSets(calls),
                  .ambiguous = std::vector<std::uint8_t>(calls, 0)};
  if (trace.ranges.empty()) return out;
  const std::vector<std::uint8_t> launches = calls_to_place(trace, which);
  attribute_same_thread(trace, launches, out.same_thread);
  OtherThreads others(trace, out);
  for (std::uint32_t call = 0; call < calls; ++call) {
    if (launches[call] != 0) others.add(call);
  }
  return out;
}

double without_call_pct(const Trace& trace) {
  std::int64_t lost = 0;
  std::int64_t all = 0;
  for (std::size_t row = 0; row < trace.kernels.size(); ++row) {
    all += trace.kernels.duration(row);
    if (trace.kernels.call[row] == kNone) lost += trace.kernels.duration(row);
  }
  return time_share_pct(lost, all);
}

Coverage coverage_of(const Trace& trace, const Attribution& attribution) {
  Coverage coverage;
  const auto add = [](Coverage::Part& part, std::int64_t duration) {
    ++part.count;
    part.total += duration;
  };
  for (std::size_t row = 0; row < trace.kernels.size(); ++row) {
    const std::uint32_t call = trace.kernels.call[row];
    const std::int64_t duration = trace.kernels.duration(row);
    add(coverage.all, duration);
    if (!attribution.same_thread.of_call(call).empty()) {
      add(coverage.same_thread, duration);
    } else if (!attribution.other_thread.of_call(call).empty()) {
      add(coverage.other_thread, duration);
      if (attribution.ambiguous[call] != 0) add(coverage.ambiguous, duration);
    } else {
      add(coverage.outside, duration);
      if (call == kNone) add(coverage.without_call, duration);
    }
  }
  return coverage;
}

std::vector<std::uint8_t> work_in(const Work& work, const Attribution& attribution,
                                  std::span<const std::uint8_t> ranges, RangeRule rule) {
  std::vector<std::uint8_t> chosen(work.size(), 0);
  const auto holds = [&](std::span<const std::uint32_t> set) {
    return std::ranges::any_of(set, [&](std::uint32_t row) { return ranges[row] != 0; });
  };
  for (std::size_t row = 0; row < chosen.size(); ++row) {
    const std::uint32_t call = work.call[row];
    const bool in = holds(attribution.same_thread.of_call(call)) ||
                    (rule == RangeRule::both && holds(attribution.other_thread.of_call(call)));
    chosen[row] = in ? 1 : 0;
  }
  return chosen;
}

std::vector<std::uint8_t> kernels_in(const Trace& trace, const Attribution& attribution,
                                     std::span<const std::uint8_t> ranges, RangeRule rule) {
  return work_in(trace.kernels, attribution, ranges, rule);
}

}  // namespace assay::trace
