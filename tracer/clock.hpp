#pragma once

#include <cstdint>
#include <ctime>

namespace assay::tracer {

/// Nanoseconds since 1970: the clock that CUPTI puts its records on.
[[nodiscard]] inline std::int64_t wall_clock() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  constexpr std::int64_t kNanoseconds = 1'000'000'000;
  return now.tv_sec * kNanoseconds + now.tv_nsec;
}

}  // namespace assay::tracer
