#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "device/activity_records.hpp"

namespace assay::device {

/// From when to when the host was inside a call.
struct CallWindow {
  TraceTime begin{};
  TraceTime end{};
};

/// The mark of work between calls; call i has the mark i + 1.
inline constexpr std::uint64_t kMarkBetweenCalls = 0;

/// What a trace knows to be lost. Any of it makes the numbers unusable.
struct TraceLosses {
  std::uint64_t dropped = 0;          // records, as CUPTI counts them
  std::uint64_t refused = 0;          // buffers that CUPTI asked for and did not get
  std::uint64_t not_returned = 0;     // buffers that CUPTI, or another client of it, kept
  std::uint64_t misplaced_marks = 0;  // marks that were not where we had put them
};

/// Everything that one trace saw.
struct KernelRecording {
  ActivityRecords records;
  std::vector<CallWindow> calls;
  TraceLosses losses;
  CallWindow traced;  // all of it
};

/// What the device did for one call.
struct CallKernelTime {
  std::chrono::nanoseconds busy{};  // union of its kernels, copies and memsets
  std::chrono::nanoseconds span{};  // first start to last end
  std::uint32_t launches = 0;
};

/// One kernel, or one kind of copy, over all calls.
struct KernelShare {
  std::string name;
  std::uint64_t launches = 0;
  std::chrono::nanoseconds total{};
  double share = 0;  // of the sum of all totals, 0 to 1
};

struct KernelTimes {
  std::vector<CallKernelTime> calls;
  std::vector<KernelShare> kernels;  // the longest total first
  /// Launches by threads other than the caller's, given to the call during which they were made.
  std::uint64_t launches_of_other_threads = 0;
};

/// Fails with `data_loss` if a record is lost, has no time, or belongs to no call. The message says
/// how many and why. A number that might lack a kernel is no number.
[[nodiscard]] Result<KernelTimes> kernel_times(const KernelRecording& recording);

}  // namespace assay::device
