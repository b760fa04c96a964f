#pragma once

#include <optional>

#include "eval/progress.hpp"
#include "eval/runner.hpp"
#include "eval/timed_side.hpp"
#include "model/timing_mode.hpp"
#include "timing/outside_time.hpp"

namespace assay::eval {

/// Compares what a runner's events tell of its calls with the worker's own clock.
class ClockComparison {
 public:
  /// `progress` must outlive this.
  ClockComparison(Progress& progress, TimingMode mode) : progress_(progress), mode_(mode) {}

  /// What rounds take beside their calls, by those of the reference. From here on it counts for the
  /// candidate's long rounds, in place of what the worker's own rounds take.
  void learn_from(const TimedSide& reference);

  /// Looks from outside until the two clocks agree or enough was seen. If the runner's times are
  /// far below the worker's, they were made up.
  [[nodiscard]] Attempt<bool> agree(TimedSide& side, const Bounds& bounds);
  /// How many calls a long round of a look has.
  [[nodiscard]] static int calls_in_look(const TimedSide& side);
  /// What one call took in these rounds, without the scene. Rounds of one call that were made
  /// longer do not make it less.
  [[nodiscard]] double seen_ns(const TimedSide& side, const timing::OutsideRounds& rounds) const;
  /// Whether a time from outside shows that the runner's was made up.
  [[nodiscard]] bool contradicts(const TimedSide& side, double seen_ns) const;
  /// Puts the worker's times in place of the runner's.
  [[nodiscard]] Attempt<void> replace(TimedSide& side, const Bounds& bounds);

 private:
  [[nodiscard]] Attempt<void> look(TimedSide& side, const Bounds& bounds);
  [[nodiscard]] double by_long_rounds(const TimedSide& side,
                                      const timing::OutsideRounds& rounds) const;
  [[nodiscard]] bool are_short_rounds_longer(const TimedSide& side) const;
  [[nodiscard]] bool is_longer_by_long_rounds(const TimedSide& side) const;
  [[nodiscard]] double slack_of(const TimedSide& side) const;
  [[nodiscard]] double accusing_slack_of(const TimedSide& side) const;

  Progress& progress_;
  TimingMode mode_;
  std::optional<double> beside_of_held_;    // ns
  std::optional<double> beside_of_others_;  // ns, of rounds whose calls cannot be held
};

}  // namespace assay::eval
