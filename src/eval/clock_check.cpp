#include "eval/clock_check.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <string>

#include <fmt/core.h>

namespace assay::eval {
namespace {

// What a batch may cost beside its runs: two context switches and a frame each way, and, per
// run, reading the clock and restoring buffers at no less than 1 GB/s. Generous on purpose: this
// must never accuse an honest kernel.
constexpr double kBatchOverhead = 5e6;  // ns
// Of each command but the first. Python looks for what a kernel may have replaced: 0.5 ms on a fast
// machine.
constexpr double kCommandOverhead = 2e6;   // ns
constexpr double kTensorOverhead = 20e3;   // ns; of an answer of a thousand, 14e3 were seen
constexpr double kRunOverhead = 50e3;      // ns
constexpr double kRestorePerByte = 1.0;    // ns
constexpr double kSmallestBelieved = 0.5;  // claimed over what is left

// Of work beside the calls, compared with the reference's: what a kernel must hide, and gain by it.
// Honest kernels stay at 0.02 of a call. But on a busy machine one was seen at 80 us more than its
// reference, which is 0.2 of a short call.
constexpr double kLeastHidden = 100e3;  // ns a call
constexpr double kPartHidden = 0.25;    // of the reference's call
constexpr double kPartGained = 0.35;    // of the same
constexpr double kPartOfUsual = 1.0;    // of what the reference's runner does beside its calls

double allowance(const TimedBatch& batch) {
  const auto runs = static_cast<double>(batch.claimed_ns.size());
  return kBatchOverhead + (batch.commands - 1) * kCommandOverhead +
         batch.commands * static_cast<double>(batch.tensors) * kTensorOverhead +
         runs * (kRunOverhead + static_cast<double>(batch.restored) * kRestorePerByte);
}

}  // namespace

void ClockCheck::add(const TimedBatch& batch) {
  ++batches_;
  double claimed = 0;
  for (const double sample : batch.claimed_ns) {
    if (!std::isfinite(sample) || sample < 0) {
      impossible_ = fmt::format("a run is claimed to have taken {} ns", sample);
      return;
    }
    claimed += sample;
  }
  const auto wall = static_cast<double>(batch.wall.count());
  if (claimed > wall) {
    impossible_ =
        fmt::format("runs are claimed to have taken {:.0f} ns within {:.0f} ns", claimed, wall);
    return;
  }
  if (!batch.cpu) return;  // nothing tells waiting from computing
  const double computed = std::min(wall, static_cast<double>(batch.cpu->count()));
  if (claimed < (computed - allowance(batch)) * kSmallestBelieved) {
    ++suspicious_;
    example_ =
        fmt::format("{} runs are claimed to have taken {:.0f} ns, but {:.0f} ns were computed",
                    batch.claimed_ns.size(), claimed, computed);
  }
}

std::optional<std::string> ClockCheck::complaint() const {
  if (impossible_) return impossible_;
  if (suspicious_ * 2 > batches_) return example_;
  return std::nullopt;
}

bool may_hide_work(double call, double claimed) {
  return call - claimed > kPartGained * call;
}

std::optional<std::string> hidden_work(const BesideCalls& beside, double call, double claimed) {
  if (!may_hide_work(call, claimed)) return std::nullopt;
  const double usual = std::max(0.0, beside.reference);
  const double more = beside.candidate - usual;
  if (more < std::max({kLeastHidden, kPartHidden * call, kPartOfUsual * usual})) {
    return std::nullopt;
  }
  return fmt::format(
      "a call is claimed to take {:.0f} ns, but its process computes for {:.0f} ns more with each "
      "call. The reference's process has the same to do there: it needs {:.0f} ns, and {:.0f} ns "
      "for its call",
      claimed, beside.candidate, usual, call);
}

}  // namespace assay::eval
