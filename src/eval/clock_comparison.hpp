#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "eval/progress.hpp"
#include "eval/runner.hpp"
#include "eval/timed_side.hpp"
#include "model/timing_mode.hpp"
#include "timing/outside_time.hpp"

namespace assay::eval {

/// Compares what a runner's events tell of its calls with the worker's own clock.
class ClockComparison {
 public:
  /// Measures once more what stands around the calls of a side.
  using MeasureScene = std::function<Attempt<void>(TimedSide& side, const Bounds& bounds)>;
  /// `progress` must outlive this.
  ClockComparison(Progress& progress, TimingMode mode, MeasureScene measure_scene)
      : progress_(progress), mode_(mode), measure_scene_(std::move(measure_scene)) {}

  /// What rounds take beside their calls, by those of the reference. From here on it counts for the
  /// candidate's rounds, in place of what the worker's own rounds take.
  void learn_from(const TimedSide& reference);

  /// Looks from outside until the two clocks agree or enough was seen. If a candidate's times are
  /// far below the worker's, they were made up. A reference has nothing to gain from that.
  [[nodiscard]] Attempt<bool> agree(TimedSide& side, const Bounds& bounds);
  /// How many calls a long round of a look has.
  [[nodiscard]] static int calls_in_look(const TimedSide& side);
  /// What one call took in these rounds, without the scene. Neither longer rounds of one call make
  /// it less, nor calls that leave out work before the last one of a round.
  [[nodiscard]] double seen_ns(const TimedSide& side, const timing::OutsideRounds& rounds) const;
  /// Whether the runner's time was made up: it is below that part of a time from outside.
  [[nodiscard]] bool contradicts(const TimedSide& side, double seen_ns, double part) const;
  /// Puts the worker's times in place of the runner's.
  [[nodiscard]] Attempt<void> replace(TimedSide& side, const Bounds& bounds);

 private:
  /// What tells the time of a call.
  enum class By : std::uint8_t { difference, long_rounds, short_rounds };

  [[nodiscard]] Attempt<void> look(TimedSide& side, const Bounds& bounds);
  [[nodiscard]] std::optional<double> learned_for(const TimedSide& side) const;
  [[nodiscard]] double beside_of(const TimedSide& side, const timing::OutsideRounds& rounds) const;
  [[nodiscard]] double ns_by(By which, const TimedSide& side,
                             const timing::OutsideRounds& rounds) const;
  [[nodiscard]] By trusted_of(const TimedSide& side, const timing::OutsideRounds& rounds) const;
  [[nodiscard]] bool are_short_rounds_longer(const TimedSide& side) const;
  [[nodiscard]] double slack_of(const TimedSide& side) const;
  [[nodiscard]] double accusing_slack_of(const TimedSide& side) const;
  [[nodiscard]] double accusing_slack_of_long(const TimedSide& side) const;

  Progress& progress_;
  TimingMode mode_;
  MeasureScene measure_scene_;
  std::optional<double> beside_of_held_;    // ns
  std::optional<double> beside_of_others_;  // ns, of rounds whose calls cannot be held
};

}  // namespace assay::eval
