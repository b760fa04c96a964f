#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace assay::queue {

/// How durations were distributed: fixed buckets, so memory does not grow with their number.
struct Histogram {
  /// Upper bounds in seconds, each bucket includes its own; one more bucket holds what is longer.
  static constexpr std::array<double, 14> kBounds = {
      0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 60.0, 600.0};

  std::array<std::uint64_t, kBounds.size() + 1> buckets{};
  std::uint64_t count = 0;
  double sum = 0;  // seconds, as all below
  double min = 0;
  double max = 0;

  void add(std::chrono::nanoseconds duration) {
    const double seconds = std::chrono::duration<double>(duration).count();
    const auto bucket = std::ranges::lower_bound(kBounds, seconds) - kBounds.begin();
    ++buckets[static_cast<std::size_t>(bucket)];
    min = count == 0 ? seconds : std::min(min, seconds);
    max = count == 0 ? seconds : std::max(max, seconds);
    sum += seconds;
    ++count;
  }
};

}  // namespace assay::queue
