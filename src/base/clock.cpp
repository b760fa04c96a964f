#include "base/clock.hpp"

#include <algorithm>
#include <chrono>

namespace assay {

SteadyTime SystemClock::now() const {
  return std::chrono::steady_clock::now();
}

WallTime SystemClock::wall_now() const {
  return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

std::chrono::nanoseconds Deadline::remaining() const {
  return std::max(std::chrono::nanoseconds::zero(), std::chrono::nanoseconds(at_ - clock_->now()));
}

}  // namespace assay
