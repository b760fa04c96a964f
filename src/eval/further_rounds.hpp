#pragma once

#include "eval/blame.hpp"
#include "eval/clock_comparison.hpp"
#include "eval/repeated_calls.hpp"
#include "eval/runner.hpp"
#include "eval/timed_side.hpp"

namespace assay::eval {

/// For a candidate that gives other bits each time, so that its timed calls cannot be compared with
/// repeated ones: rounds in which the last answer is judged. It cannot tell them from timed ones.
/// Work that it left out before would show in their time.
class FurtherRounds {
 public:
  /// All outlive this.
  FurtherRounds(RepeatedCalls& repeated, const ClockComparison& clocks, Blame& blame)
      : repeated_(repeated), clocks_(clocks), blame_(blame) {}

  [[nodiscard]] Attempt<void> judge(const TimedSide& candidate, const Bounds& bounds);

 private:
  [[nodiscard]] Attempt<void> judge_answer(const TimedSide& candidate, const Bounds& bounds);

  RepeatedCalls& repeated_;
  const ClockComparison& clocks_;
  Blame& blame_;
};

}  // namespace assay::eval
