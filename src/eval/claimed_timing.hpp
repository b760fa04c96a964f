#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "eval/answer.hpp"
#include "eval/blame.hpp"
#include "eval/busy_part.hpp"
#include "eval/checking.hpp"
#include "eval/clock_check.hpp"
#include "eval/contender.hpp"
#include "eval/evaluation.hpp"
#include "eval/fresh_calls.hpp"
#include "eval/pair.hpp"
#include "eval/progress.hpp"
#include "eval/runner.hpp"
#include "eval/turns.hpp"
#include "model/outcome.hpp"
#include "model/request.hpp"
#include "timing/batch.hpp"
#include "timing/paired_speed.hpp"

namespace assay::eval {

/// The timing half of an evaluation by the runners' own clocks. It takes pairs of batches, in an
/// order that nobody can tell ahead. Each kernel stands still while the other is timed. The
/// worker's clock checks what the runners say. The candidate's answers are compared with the
/// expected ones.
class ClaimedTiming {
 public:
  struct Parts {
    const EvaluationInput& input;
    Pair& pair;
    Checking& checking;
    Blame& blame;
    Progress& progress;
    const RunnerSource& runners;
    const Clock& clock;
    std::string why_claimed;  // a sentence: why no clock outside the runners could be used
  };
  /// All parts outlive this.
  explicit ClaimedTiming(Parts parts);

  /// Writes both timings and the speed into `outcome`.
  [[nodiscard]] Attempt<void> time(Outcome& outcome, const Bounds& bounds);

 private:
  struct Side {
    Contender* contender;
    bool is_reference;
    ClockCheck clock{};
    std::vector<timing::Batch> batches{};
    std::vector<double> figures{};     // of the batches
    std::chrono::nanoseconds call{};   // about what one takes, as warming up found
    int warmed_up = 0;                 // calls
    std::optional<KeptAnswer> last{};  // of the last batch, where kernels keep state
  };

  [[nodiscard]] Attempt<void> warm_up(Side& side, const Bounds& bounds);
  [[nodiscard]] Attempt<void> time_pairs(const Bounds& bounds);
  [[nodiscard]] Attempt<void> time_batch(Side& side, int samples, const Bounds& bounds);
  /// Where calls have inputs of their own.
  [[nodiscard]] FreshCalls::Warming warming_of(const Side& side) const;
  [[nodiscard]] Attempt<timing::Batch> take_batch(Side& side, int samples, ClockCheck& check,
                                                  const Bounds& bounds);
  /// The same over the inputs of the batch that was prepared.
  [[nodiscard]] Attempt<timing::Batch> take_fresh_batch(Side& side, const Bounds& bounds);
  /// Whether both kernels keep state: they are called equally often, and answer alike after that.
  [[nodiscard]] bool in_step() const;
  [[nodiscard]] Attempt<void> compare_states(const Bounds& bounds);
  /// Whether calls can have inputs of their own: both kernels must answer by their inputs alone.
  [[nodiscard]] bool can_be_fresh() const;
  /// Lets only this kernel run.
  [[nodiscard]] Attempt<void> turn_to(const Side& side);
  /// Whether the candidate works outside the times that it claims, where they are short.
  [[nodiscard]] Attempt<void> look_beside_calls(const Bounds& bounds);
  /// See time_beside_calls.
  [[nodiscard]] Attempt<std::optional<double>> beside_calls(const Side& side, int calls,
                                                            const Bounds& bounds);
  [[nodiscard]] Attempt<void> check_after(const Bounds& bounds);
  [[nodiscard]] int samples_of_batch(std::size_t batch) const;
  [[nodiscard]] bool is_enough() const;
  [[nodiscard]] timing::PairedRule paired_rule() const;
  [[nodiscard]] std::unexpected<Setback> blame(const Side& side, Setback setback);
  [[nodiscard]] TimingSummary summary_of(const Side& side) const;
  void summarize(Outcome& outcome) const;

  Parts parts_;
  const Request& request_;
  std::vector<Side> sides_;  // the reference, where there is one, then the candidate
  std::vector<timing::Pair> pairs_;
  std::optional<BusyPart> while_paired_;
  double busy_part_ = 0;             // as the last pair ended
  std::optional<Turns> turns_;       // while timing
  std::optional<FreshCalls> fresh_;  // where calls have inputs of their own
};

}  // namespace assay::eval
