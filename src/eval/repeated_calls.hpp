#pragma once

#include <cstddef>
#include <cstdint>

#include "eval/answer.hpp"
#include "eval/checking.hpp"
#include "eval/outside_clock.hpp"
#include "eval/pair.hpp"
#include "eval/runner.hpp"
#include "eval/timed_contender.hpp"

namespace assay::eval {

/// Calls over varied inputs that both kernels make without a clock. Before timing they show how far
/// inputs may vary. After timing they show whether timed calls did their work.
class RepeatedCalls {
 public:
  /// Both outlive this.
  RepeatedCalls(Pair& pair, Checking& checking) : pair_(pair), checking_(checking) {}

  /// The inputs that timed calls may not vary strongly: as few as possible. Some bear no change,
  /// and the reference has no answer then: a matrix that must be positive definite. If it has one,
  /// the candidate's must agree: otherwise a candidate could choose to be timed over inputs that
  /// hardly vary. Sorted rows are an exception: a kernel may rely on their order. Large inputs vary
  /// gently and are not tried, because that would take seconds.
  [[nodiscard]] Attempt<GentleInputs> find_gentle_inputs(std::uint64_t secret,
                                                         const Bounds& bounds);

  /// Makes timed calls of the candidate again, chosen in secret, and compares. False if the kernel
  /// is right but gives other bits each time: then nothing is proven.
  [[nodiscard]] Attempt<bool> prove(const TimedContender& candidate, const Bounds& bounds);

  /// For such a kernel: judges what the last call of its last round left behind. The fingerprint
  /// that the GPU took in that round shows that `answer` is that.
  [[nodiscard]] Attempt<void> judge_last(const TimedContender& candidate, const Answer& answer,
                                         const Bounds& bounds);

  /// For inputs that cannot vary from one timed call to the next: after timing, the candidate must
  /// still be right over inputs that it has not seen. An answer that it has kept is not.
  [[nodiscard]] Attempt<void> answer_unseen_inputs(const Bounds& bounds);

 private:
  /// The same over inputs of which some vary gently.
  [[nodiscard]] Attempt<bool> agree_over_varied(const Scene& scene, std::uint64_t secret,
                                                const Bounds& bounds);
  /// False where the reference, or a candidate without one, gives no finite numbers. A candidate
  /// that does not agree with its reference has its verdict.
  [[nodiscard]] Attempt<bool> agree_over(const std::vector<std::span<const std::byte>>& contents,
                                         const Bounds& bounds);
  [[nodiscard]] Attempt<bool> prove_call(const TimedContender& candidate, const SeenRound& round,
                                         std::size_t call, const Bounds& bounds);

  Pair& pair_;
  Checking& checking_;
};

}  // namespace assay::eval
