#pragma once

#include "eval/progress.hpp"
#include "eval/runner.hpp"
#include "eval/timed_side.hpp"
#include "model/timing_mode.hpp"

namespace assay::eval {

/// Compares what a runner's events tell of its calls with the worker's own clock.
class ClockComparison {
 public:
  /// `progress` must outlive this.
  ClockComparison(Progress& progress, TimingMode mode) : progress_(progress), mode_(mode) {}

  /// Looks from outside until the two clocks agree or enough was seen. If the runner's times are
  /// far below the worker's, they were made up.
  [[nodiscard]] Attempt<bool> agree(TimedSide& side, const Bounds& bounds);
  /// How many calls a long round of a look has.
  [[nodiscard]] static int calls_in_look(const TimedSide& side);
  /// Whether a time from outside, without the scene, shows that the runner's was made up.
  [[nodiscard]] bool contradicts(const TimedSide& side, double seen_ns) const;
  /// Puts the worker's times in place of the runner's.
  [[nodiscard]] Attempt<void> replace(TimedSide& side, const Bounds& bounds);

 private:
  [[nodiscard]] Attempt<void> look(TimedSide& side, const Bounds& bounds);
  [[nodiscard]] bool are_short_rounds_longer(const TimedSide& side) const;
  [[nodiscard]] double slack_of(const TimedSide& side) const;

  Progress& progress_;
  TimingMode mode_;
};

}  // namespace assay::eval
