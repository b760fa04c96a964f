#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "base/mutex.hpp"

namespace assay::profile {

/// How fast a GPU runs at one moment.
struct ClockReading {
  std::string device;  // "NVIDIA H200"
  unsigned sm_mhz = 0;
  unsigned sm_most_mhz = 0;  // that it can run at
  unsigned memory_mhz = 0;
};

/// The clocks of every GPU, always in the same order; none where nothing can tell.
using ReadClocks = std::function<std::vector<ClockReading>()>;

/// How fast a GPU ran while a program did.
struct ClockRange {
  ClockReading before;
  unsigned sm_least_mhz = 0;
  unsigned sm_greatest_mhz = 0;
};

/// Reads clocks when it is made, and again and again until it is finished. If a clock falls during
/// a run, the run's times are those of a slower GPU.
class ClockLog {
 public:
  explicit ClockLog(ReadClocks read,
                    std::chrono::milliseconds every = std::chrono::milliseconds(500));

  /// Stops reading, and gives what was read.
  [[nodiscard]] std::vector<ClockRange> finish();

 private:
  void add(const std::vector<ClockReading>& readings) ASSAY_REQUIRES(mutex_);

  ReadClocks read_;
  Mutex mutex_;
  std::condition_variable_any ended_;
  std::vector<ClockRange> ranges_ ASSAY_GUARDED_BY(mutex_);
  std::jthread reader_;  // last: it uses all the others
};

}  // namespace assay::profile
