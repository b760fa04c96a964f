#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "eval/outside_clock.hpp"
#include "eval/timed_contender.hpp"
#include "model/runner_protocol.hpp"
#include "timing/batch.hpp"
#include "timing/outside_time.hpp"
#include "timing/statistics.hpp"

namespace assay::eval {

/// A contender behind the gate, and all that was measured of it.
struct TimedSide {
  std::unique_ptr<TimedContender> timed;
  bool is_reference = false;  // and has nothing to gain
  SceneCost scene;
  std::vector<timing::Batch> batches;        // by events, in held rounds
  timing::OutsideRounds outside;             // by the worker's clock
  std::vector<timing::OutsideRounds> looks;  // the same, each look for itself
  double event_overhead_ns = 0;
  std::vector<double> launch_ns;  // of a launch that does nothing, in each round
  double launch_excess_ns = 0;    // what the process's launches take longer than others'; taken off
  bool by_worker = false;         // the batches are the worker's own, for the clocks did not agree
  std::vector<double> host_ns;
  Traced traced;

  /// How often a call comes to the queue of its process. A graph does so once, whatever it holds.
  [[nodiscard]] std::size_t launches() const {
    if (timed->is_graph()) return 1;
    std::size_t launches = 0;
    for (const KernelShare& kernel : traced.time.kernels) launches += kernel.launches;
    return launches;
  }
  /// How long one call takes, by the batches that are used.
  [[nodiscard]] double told_ns() const { return timing::median_of(timing::used_samples(batches)); }
  /// The same by the worker's clock.
  [[nodiscard]] double outside_ns() const { return outside_ns(outside); }
  [[nodiscard]] double outside_ns(const timing::OutsideRounds& rounds) const {
    return std::max(0.0, rounds.call_ns() - scene.call_ns);
  }
};

}  // namespace assay::eval
