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
#include "eval/outside_clock.hpp"
#include "eval/pair.hpp"
#include "eval/progress.hpp"
#include "eval/repeated_calls.hpp"
#include "eval/runner.hpp"
#include "eval/timed_contender.hpp"
#include "model/outcome.hpp"
#include "model/request.hpp"
#include "model/runner_protocol.hpp"
#include "model/timing_mode.hpp"
#include "timing/batch.hpp"
#include "timing/outside_time.hpp"
#include "timing/paired_speed.hpp"
#include "timing/statistics.hpp"

namespace assay::eval {

/// The timing half of an evaluation where there is a clock outside the runners: pairs of rounds
/// behind the gate, then calls chosen in secret are made again, judged, and held against what they
/// left behind while the clock ran.
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
      : parts_(parts), request_(parts.input.request), repeated_(parts.pair, parts.checking) {}

  /// Gives both contenders their seats. Nothing of the outcome depends on it where it fails: the
  /// error says why the clock cannot be used.
  [[nodiscard]] Attempt<void> prepare(const Bounds& bounds);
  [[nodiscard]] Attempt<void> time(Outcome& outcome, const Bounds& bounds);

 private:
  struct Side {
    std::unique_ptr<TimedContender> timed;
    double scene_ns = 0;
    std::vector<timing::Batch> batches;  // by events, in held rounds
    timing::OutsideRounds outside;       // by the worker's clock
    double event_overhead_ns = 0;
    std::vector<double> launch_ns;  // of a launch that does nothing, in each round
    double launch_excess_ns = 0;  // what the process's launches take longer than others'; taken off
    bool by_worker = false;       // the batches are the worker's own, for the clocks did not agree
    std::vector<double> host_ns;
    Traced traced;

    /// Of one call, by the batches that are used.
    [[nodiscard]] double told_ns() const {
      return timing::median_of(timing::used_samples(batches));
    }
    [[nodiscard]] double outside_ns() const { return std::max(0.0, outside.call_ns() - scene_ns); }
  };

  [[nodiscard]] Attempt<void> seat(Contender& contender, Side& side, const Bounds& bounds);
  [[nodiscard]] Attempt<void> measure_scenes();
  [[nodiscard]] Attempt<void> take_batches(const Bounds& bounds);
  [[nodiscard]] int calls_in_batch(int batch) const;
  [[nodiscard]] bool is_enough(int batches, std::chrono::nanoseconds elapsed) const;
  [[nodiscard]] Attempt<void> take_batch(Side& side, int calls, const Bounds& bounds);
  /// The same from outside, until the two clocks agree or enough was seen.
  [[nodiscard]] Attempt<void> compare_clocks(Side& side, const Bounds& bounds);
  /// By how much the worker's time of it may be too long, in nanoseconds.
  [[nodiscard]] double slack_of(const Side& side) const;
  /// What its caller waits for, and what its kernels take.
  [[nodiscard]] Attempt<void> take_other_times(Side& side, const Bounds& bounds);
  void take_off_launch_excess(Side& side) const;
  [[nodiscard]] Attempt<void> refuse_the_impossible(const Side& side) const;
  [[nodiscard]] Attempt<void> await_idle(const Bounds& bounds);
  [[nodiscard]] std::unexpected<Setback> blame(const Side& side, Setback setback);
  [[nodiscard]] TimingMode mode() const;
  [[nodiscard]] timing::PairedRule paired_rule() const;
  /// By what part of its time a contender's process may differ from another of the same kernel.
  [[nodiscard]] static double doubt_of(const Side& side);
  [[nodiscard]] TimingSummary summary_of(const Side& side) const;
  void summarize(Outcome& outcome);

  Parts parts_;
  const Request& request_;
  RepeatedCalls repeated_;
  std::optional<Side> reference_;
  Side candidate_;
  bool gentle_ = false;
  bool reproducible_ = true;  // bit by bit, of the candidate
};

}  // namespace assay::eval
