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
  /// Puts the worker's times in place of the runner's.
  [[nodiscard]] Attempt<void> replace(TimedSide& side, const Bounds& bounds);

 private:
  [[nodiscard]] Attempt<void> look(TimedSide& side, const Bounds& bounds);
  [[nodiscard]] double slack_of(const TimedSide& side) const;

  Progress& progress_;
  TimingMode mode_;
};

}  // namespace assay::eval
