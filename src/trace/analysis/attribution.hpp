#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "trace/events/events.hpp"
#include "trace/table.hpp"

namespace assay::trace {

/// The ranges around each API call. Neighbouring calls share a set, so this stays small.
class RangeSets {
 public:
  explicit RangeSets(std::size_t calls) : set_of_(calls, 0), begin_{0, 0} {}

  /// Rows of Trace::ranges, outermost first; none for kNone.
  [[nodiscard]] std::span<const std::uint32_t> of_call(std::uint32_t call) const {
    if (call == kNone) return {};
    const std::uint32_t set = set_of_[call];
    return std::span(members_).subspan(begin_[set], begin_[set + 1] - begin_[set]);
  }

  /// Stores a set and gives its number; the empty set is 0.
  std::uint32_t add(std::span<const std::uint32_t> members);
  void assign(std::uint32_t call, std::uint32_t set) { set_of_[call] = set; }

 private:
  std::vector<std::uint32_t> set_of_;   // one per call
  std::vector<std::uint32_t> members_;  // all sets, end to end
  std::vector<std::size_t> begin_;      // where each set begins; one more at the end
};

/// Which ranges work on a GPU belongs to, by two rules that are always told apart.
///
/// same_thread is the rule of `nsys stats -r nvtx_kern_sum`: the launching call lies inside the
/// range, on the range's thread. Ranges that another thread ended do not count.
///
/// other_thread is for threads that have no range of the program's author open. The call belongs to
/// such a range of another thread of its process, if it lies inside one. PyTorch launches the
/// backward pass from a thread of its own. By the first rule it would belong to no range. If that
/// thread has ranges of the author's only because it computes parts of the forward pass again, the
/// call belongs to those and to the waiting thread's (see find_recomputation). A range
/// that one thread started and another ended is of both: it holds launches of any thread of its
/// process, whatever ranges of their own those have.
struct Attribution {
  RangeSets same_thread;
  RangeSets other_thread;
  std::vector<std::uint8_t> ambiguous;  // per call: ranges of several threads claim it
};

enum class CallsToPlace : std::uint8_t {
  launching,  // those that launched GPU work: all that most analyses ask for
  all,
};

[[nodiscard]] Attribution attribute(const Trace& trace,
                                    CallsToPlace calls = CallsToPlace::launching);

/// How many kernels each rule places in a range, and how much time.
struct Coverage {
  struct Part {
    std::uint64_t count = 0;
    std::int64_t total = 0;
  };
  Part all;
  Part same_thread;
  Part other_thread;  // and not by the first rule
  Part ambiguous;     // of those, claimed by several threads
  Part outside;       // in no range by either rule
  Part without_call;  // of those, because the profile lacks the launching call
};

/// Of a profile's kernel time, that of kernels whose launching call it lacks, in percent.
[[nodiscard]] double without_call_pct(const Trace& trace);

[[nodiscard]] Coverage coverage_of(const Trace& trace, const Attribution& attribution);
/// `range_coverage`
[[nodiscard]] Table coverage_table(const Coverage& coverage);

enum class RangeRule : std::uint8_t {
  same_thread,
  both,
};

/// A byte per row of `work`, which is the trace's: nonzero where a chosen range holds it under the
/// rule.
[[nodiscard]] std::vector<std::uint8_t> work_in(const Work& work, const Attribution& attribution,
                                                std::span<const std::uint8_t> ranges,
                                                RangeRule rule);
/// The same for kernels.
[[nodiscard]] std::vector<std::uint8_t> kernels_in(const Trace& trace,
                                                   const Attribution& attribution,
                                                   std::span<const std::uint8_t> ranges,
                                                   RangeRule rule);

/// `range_kernels`: kernels by the range that holds them, one row per range name and kernel name.
[[nodiscard]] Table range_kernel_table(const Trace& trace, const Attribution& attribution);
/// `range_gpu`: what each range name holds by each rule. A kernel counts once for a name, however
/// many ranges of that name are around it.
[[nodiscard]] Table range_gpu_table(const Trace& trace, const Attribution& attribution);

}  // namespace assay::trace
