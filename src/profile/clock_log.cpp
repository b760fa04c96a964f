#include "profile/clock_log.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <stop_token>
#include <utility>
#include <vector>

#include "base/mutex.hpp"

namespace assay::profile {

ClockLog::ClockLog(ReadClocks read, std::chrono::milliseconds every) : read_(std::move(read)) {
  if (!read_) return;
  {
    const std::vector<ClockReading> first = read_();
    if (first.empty()) return;
    const MutexLock lock(mutex_);
    for (const ClockReading& reading : first) {
      ranges_.push_back(
          {.before = reading, .sm_least_mhz = reading.sm_mhz, .sm_greatest_mhz = reading.sm_mhz});
    }
  }
  reader_ = std::jthread([this, every](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      const std::vector<ClockReading> now = read_();
      const MutexLock lock(mutex_);
      add(now);
      ended_.wait_for(mutex_, stop, every, [] { return false; });
    }
  });
}

void ClockLog::add(const std::vector<ClockReading>& readings) {
  for (std::size_t i = 0; i < std::min(readings.size(), ranges_.size()); ++i) {
    ranges_[i].sm_least_mhz = std::min(ranges_[i].sm_least_mhz, readings[i].sm_mhz);
    ranges_[i].sm_greatest_mhz = std::max(ranges_[i].sm_greatest_mhz, readings[i].sm_mhz);
  }
}

std::vector<ClockRange> ClockLog::finish() {
  if (reader_.joinable()) {
    reader_.request_stop();
    reader_.join();
  }
  const MutexLock lock(mutex_);
  return ranges_;
}

}  // namespace assay::profile
