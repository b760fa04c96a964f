#include "queue/rate_window.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "base/clock.hpp"

namespace assay::queue {
namespace {

std::int64_t second_of(SteadyTime time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

}  // namespace

void RateWindow::add(SteadyTime now) {
  const std::int64_t second = second_of(now);
  Second& entry = ring_[static_cast<std::size_t>(second) % ring_.size()];
  if (entry.second != second) entry = {.second = second, .count = 0};
  ++entry.count;
}

std::uint64_t RateWindow::count(SteadyTime now, std::chrono::seconds span) const {
  const std::int64_t newest = second_of(now);
  std::uint64_t total = 0;
  for (const Second& entry : ring_) {
    if (entry.second > newest - span.count() && entry.second <= newest) total += entry.count;
  }
  return total;
}

}  // namespace assay::queue
