#include "eval/clock_check.hpp"

#include <chrono>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include <fmt/core.h>

namespace assay::eval {
namespace {

// What a batch may cost beside its runs: two context switches and a frame each way, and, per
// run, reading the clock and restoring buffers at no less than 1 GB/s. Generous on purpose: this
// must never accuse an honest kernel on a busy machine.
constexpr double kBatchOverhead = 5e6;     // ns
constexpr double kRunOverhead = 50e3;      // ns
constexpr double kRestorePerByte = 1.0;    // ns
constexpr double kSmallestBelieved = 0.5;  // claimed over what is left of the wall time

}  // namespace

void ClockCheck::add(std::chrono::nanoseconds wall, std::span<const double> claimed_ns,
                     std::size_t restored) {
  ++batches_;
  double claimed = 0;
  for (const double sample : claimed_ns) {
    if (!std::isfinite(sample) || sample < 0) {
      impossible_ = fmt::format("a run is claimed to have taken {} ns", sample);
      return;
    }
    claimed += sample;
  }
  const auto measured = static_cast<double>(wall.count());
  if (claimed > measured) {
    impossible_ =
        fmt::format("runs are claimed to have taken {:.0f} ns within {:.0f} ns", claimed, measured);
    return;
  }
  const auto runs = static_cast<double>(claimed_ns.size());
  const double allowed =
      kBatchOverhead + runs * (kRunOverhead + static_cast<double>(restored) * kRestorePerByte);
  if (claimed < (measured - allowed) * kSmallestBelieved) {
    ++suspicious_;
    example_ = fmt::format("{} runs are claimed to have taken {:.0f} ns, but {:.0f} ns passed",
                           claimed_ns.size(), claimed, measured);
  }
}

std::optional<std::string> ClockCheck::complaint() const {
  if (impossible_) return impossible_;
  if (suspicious_ * 2 > batches_) return example_;
  return std::nullopt;
}

}  // namespace assay::eval
