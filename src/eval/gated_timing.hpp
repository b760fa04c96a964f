#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "eval/blame.hpp"
#include "eval/checking.hpp"
#include "eval/clock_comparison.hpp"
#include "eval/outside_clock.hpp"
#include "eval/pair.hpp"
#include "eval/progress.hpp"
#include "eval/repeated_calls.hpp"
#include "eval/runner.hpp"
#include "eval/timed_side.hpp"
#include "eval/turns.hpp"
#include "model/outcome.hpp"
#include "model/request.hpp"
#include "model/runner_protocol.hpp"
#include "model/timing_mode.hpp"
#include "timing/batch.hpp"
#include "timing/outside_time.hpp"
#include "timing/paired_speed.hpp"
#include "timing/statistics.hpp"

namespace assay::eval {

/// The timing half of an evaluation, where there is a clock outside the runners. It times pairs of
/// rounds behind the gate. Then it chooses calls in secret and makes them again. It judges their
/// answers, and compares them with what the timed calls left behind.
class GatedTiming {
 public:
  struct Parts {
    const EvaluationInput& input;
    Pair& pair;
    Checking& checking;
    Blame& blame;
    Progress& progress;
    OutsideClock& clock;
    const Clock& host_clock;
  };
  /// All parts outlive this.
  explicit GatedTiming(const Parts& parts)
      : parts_(parts),
        request_(parts.input.request),
        repeated_(parts.pair, parts.checking),
        turns_(parts.pair),
        clocks_(parts.progress, mode(), [this](TimedSide& side, const Bounds& bounds) {
          return measure_scene_again(side, bounds);
        }) {}

  /// Gives both contenders their seats. If it fails, the error says why the clock cannot be used.
  /// The outcome does not depend on that.
  [[nodiscard]] Attempt<void> prepare(const Bounds& bounds);
  [[nodiscard]] Attempt<void> time(Outcome& outcome, const Bounds& bounds);
  /// After `prepare` failed: the reference has its seat.
  [[nodiscard]] bool only_candidate_has_none() const { return reference_ && reference_->timed; }

 private:
  [[nodiscard]] Attempt<void> seat(Contender& contender, TimedSide& side, const Bounds& bounds);
  /// It is that side's turn, and nothing else uses the GPU.
  [[nodiscard]] Attempt<void> turn_to(const TimedSide& side, const Bounds& bounds);
  [[nodiscard]] Attempt<void> turn_to_nobody(const Bounds& bounds);
  [[nodiscard]] Attempt<void> measure_scenes(const Bounds& bounds);
  [[nodiscard]] static Attempt<void> measure_scene(TimedSide& side);
  [[nodiscard]] Attempt<void> measure_scene_again(TimedSide& side, const Bounds& bounds);
  [[nodiscard]] Attempt<void> take_batches(const Bounds& bounds);
  [[nodiscard]] int calls_in_batch(int batch) const;
  [[nodiscard]] bool is_enough(int batches, std::chrono::nanoseconds elapsed) const;
  [[nodiscard]] Attempt<void> take_batch(TimedSide& side, int calls, const Bounds& bounds);
  [[nodiscard]] Attempt<void> compare_clocks(const std::vector<TimedSide*>& sides,
                                             const Bounds& bounds);
  /// How long a caller waits, and how long the kernels take.
  [[nodiscard]] Attempt<void> take_other_times(TimedSide& side, const Bounds& bounds);
  void take_off_launch_excess(TimedSide& side) const;
  [[nodiscard]] Attempt<void> refuse_the_impossible(const TimedSide& side) const;
  [[nodiscard]] Attempt<void> await_idle(const Bounds& bounds);
  [[nodiscard]] std::unexpected<Setback> blame(const TimedSide& side, Setback setback);
  [[nodiscard]] TimingMode mode() const;
  [[nodiscard]] timing::PairedRule paired_rule() const;
  /// By what part of its time a contender's process may differ from another of the same kernel.
  [[nodiscard]] static double doubt_of(const TimedSide& side);
  [[nodiscard]] TimingSummary summary_of(const TimedSide& side) const;
  void summarize(Outcome& outcome);

  Parts parts_;
  const Request& request_;
  RepeatedCalls repeated_;
  Turns turns_;
  ClockComparison clocks_;
  std::optional<TimedSide> reference_;
  TimedSide candidate_;
  GentleInputs gentle_ = GentleInputs::none;
  bool reproducible_ = true;  // bit by bit, of the candidate
};

}  // namespace assay::eval
