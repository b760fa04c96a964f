#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/events/events.hpp"
#include "trace/table.hpp"

namespace assay::trace {

/// How a device spent the time from its first piece of work to its last, in nanoseconds. What
/// overlaps counts once. So the times are the device's, never the sum of its streams.
struct DeviceBusy {
  std::int64_t device = 0;
  std::uint64_t kernels = 0;
  std::int64_t kernel_sum = 0;  // overlaps counted as often as they occur
  std::int64_t kernel_busy = 0;
  std::int64_t memory_busy = 0;  // copies and sets
  std::int64_t graph_busy = 0;   // graphs traced whole
  std::int64_t busy = 0;         // any of them
  std::int64_t span = 0;
  /// Time with exactly n kernels running, at index n; the last holds all higher counts.
  std::vector<std::int64_t> at_concurrency;
  std::size_t peak_concurrency = 0;

  [[nodiscard]] std::int64_t idle() const { return span - busy; }
  /// Copies and sets that ran beside kernels.
  std::int64_t kernel_memory_overlap = 0;
};

[[nodiscard]] std::vector<DeviceBusy> device_busy(const Trace& trace);

/// How many kernels the program launched, if the profile holds copies but no kernel and no graph.
/// Then it is not known what kept a GPU busy. Otherwise 0.
[[nodiscard]] std::uint64_t launches_not_recorded(const Trace& trace);

/// `device_busy`
[[nodiscard]] Table busy_table(const std::vector<DeviceBusy>& devices);
/// `concurrency`: time by how many kernels ran at once.
[[nodiscard]] Table concurrency_table(const std::vector<DeviceBusy>& devices);

}  // namespace assay::trace
