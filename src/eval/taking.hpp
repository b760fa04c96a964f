#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <vector>

#include "base/clock.hpp"
#include "eval/answer.hpp"
#include "eval/clock_check.hpp"
#include "eval/contender.hpp"
#include "eval/runner.hpp"
#include "timing/batch.hpp"

namespace assay::eval {

/// Calls that were timed by several commands, as one batch.
class Taking {
 public:
  /// Both outlive this.
  Taking(Contender& contender, const Clock& clock) : contender_(contender), clock_(clock) {}

  [[nodiscard]] Attempt<void> take(int samples, const Bounds& bounds);

  /// `copied`: bytes that the runner copies for each call beside those that it restores. `tensors`:
  /// of an answer.
  [[nodiscard]] timing::Batch batch(ClockCheck& check, std::size_t copied, std::size_t tensors);

 private:
  Contender& contender_;
  const Clock& clock_;
  int commands_ = 0;
  std::chrono::nanoseconds wall_{};
  std::optional<std::chrono::nanoseconds> cpu_;
  std::vector<double> claimed_;
};

/// What a command for so many calls takes beside them, ns a call; nothing where it is not known. Of
/// the reference all that passed counts, so never too little. Of the candidate only what was
/// computed, so never too much: a busy machine must not make it look guilty.
[[nodiscard]] Attempt<std::optional<double>> time_beside_calls(Contender& contender,
                                                               bool is_reference, int calls,
                                                               const Clock& clock,
                                                               const Bounds& bounds);

}  // namespace assay::eval
