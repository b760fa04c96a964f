#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/analysis/summary.hpp"
#include "trace/events/events.hpp"
#include "trace/table.hpp"

namespace assay::trace {

/// From the call to the kernel, for kernels of one name whose call the profile holds.
struct LaunchSum {
  std::string name;
  Summary call;    // the launching calls; a graph's call counts once, not once per kernel
  Summary wait;    // from the call's return to the kernel's start; 0 where it started before
  Summary delay;   // from the call's start to the kernel's start
  Summary kernel;  // the kernels
};

/// By falling total kernel time.
[[nodiscard]] std::vector<LaunchSum> launch_sums(const Trace& trace);
/// `launch_latency`
[[nodiscard]] Table launch_table(const std::vector<LaunchSum>& sums);

/// Kernels and whole graphs launched and not yet started, over time. A device whose queue is empty
/// must wait for its host.
struct QueueDepth {
  std::int64_t device = 0;
  std::uint64_t launches = 0;
  double average = 0;  // over time
  std::uint64_t peak = 0;
  std::int64_t empty = 0;  // time with nothing queued
  std::int64_t span = 0;   // from the first launch to the start of the last kernel
};

[[nodiscard]] std::vector<QueueDepth> queue_depths(const Trace& trace);
/// `queue_depth`
[[nodiscard]] Table queue_table(const std::vector<QueueDepth>& depths);

}  // namespace assay::trace
