#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "eval/answer.hpp"
#include "eval/blame.hpp"
#include "eval/comparing.hpp"
#include "eval/contender.hpp"
#include "eval/edges.hpp"
#include "eval/evaluation.hpp"
#include "eval/expectation.hpp"
#include "eval/input_set.hpp"
#include "eval/pair.hpp"
#include "eval/payload.hpp"
#include "eval/progress.hpp"
#include "eval/python_contender.hpp"
#include "eval/runner.hpp"
#include "judge/compare.hpp"
#include "model/outcome.hpp"
#include "model/request.hpp"
#include "model/verdict.hpp"
#include "tensor/distribution.hpp"

namespace assay::eval {

/// What the candidate answered over given inputs, and what is wrong with it.
struct JudgedAnswer {
  Answer candidate;                  // its views are valid until the candidate's next run
  std::optional<WrongAnswer> wrong;  // nothing where it agrees, or where there is no reference
};

/// What the reference answered over given inputs.
struct ReferenceAnswer {
  std::vector<std::span<const std::byte>> contents;  // of its own tensors
  KeptAnswer answer;
};

/// Inputs as the author makes them, of a round of their own.
struct FreshInputs {
  InputSet generated;              // for contracts; the contenders look into it
  std::optional<Payload> given{};  // what a get_inputs gave, or a contract says
  std::uint64_t secret = 0;
  int round = 0;

  [[nodiscard]] RoundInputs of_round();
};

/// The checking half of an evaluation: rounds of secret inputs, each answered by both kernels and
/// compared.
class Checking {
 public:
  /// All must outlive this.
  Checking(const EvaluationInput& input, Pair& pair, Blame& blame, Progress& progress,
           Outcome& outcome)
      : input_(input),
        request_(input.request),
        pair_(pair),
        blame_(blame),
        progress_(progress),
        outcome_(outcome),
        expecting_(input.request, pair),
        comparing_(input.request, pair, expecting_, outcome) {}

  /// Every round, and the first one twice.
  [[nodiscard]] Attempt<void> check(const Bounds& bounds);

  /// The reference's own answer held NaN where the candidate was wrong: no answer is right there.
  [[nodiscard]] bool expects_nan() const { return comparing_.differences().wanted_nans > 0; }

  /// Both kernels keep state from call to call. So answers can be compared only after the same
  /// number of calls.
  [[nodiscard]] bool keeps_state() const { return keeps_state_; }

  /// What differs between an answer of the candidate and the expected one of the last round.
  [[nodiscard]] Attempt<std::optional<WrongAnswer>> compare_with_last(const Answer& answer,
                                                                      const Bounds& bounds);

  /// Inputs that neither kernel has seen. Another `call` gives other inputs. With `like`, which
  /// must outlive them, only a few of their elements differ from its elements. What the kernels
  /// were given in the last round is dropped, unless keep_last_inputs() was called.
  [[nodiscard]] Attempt<std::unique_ptr<FreshInputs>> fresh_inputs(int call,
                                                                   const FreshInputs* like,
                                                                   const Bounds& bounds);
  void keep_last_inputs();
  /// The inputs of the last round, which the candidate has answered rightly.
  [[nodiscard]] RoundInputs last_inputs();
  [[nodiscard]] const Answer& last_expected() const { return expected_->answer.answer(); }
  /// What differs between answers of both kernels to inputs like those of the last round. `fill`
  /// gives the reference these inputs again.
  [[nodiscard]] Attempt<std::optional<WrongAnswer>> compare_timed(const Answer& answer,
                                                                  const Answer& expected,
                                                                  const Edges::Fill& fill,
                                                                  const Bounds& bounds);

  /// Runs both kernels once over such inputs, and compares. They must live until the next fill.
  [[nodiscard]] Attempt<JudgedAnswer> judge_fresh(FreshInputs& inputs, const Bounds& bounds);

  /// Runs both kernels once more over other bytes of the same tensors, and compares. `contents` are
  /// those of the candidate's tensors, as Contender::contents lists them. Where the reference was
  /// given what the candidate was given, it gets the same bytes. They must stay as they are until
  /// the next fill. Afterwards both kernels' buffers hold them.
  [[nodiscard]] Attempt<JudgedAnswer> judge_over(
      const std::vector<std::span<const std::byte>>& contents, const Bounds& bounds);
  /// The same in two steps. There must be a reference. After the first one only its buffers hold
  /// the contents.
  [[nodiscard]] Attempt<ReferenceAnswer> ask_reference(
      const std::vector<std::span<const std::byte>>& contents, const Bounds& bounds);
  [[nodiscard]] Attempt<JudgedAnswer> judge_over(
      const std::vector<std::span<const std::byte>>& contents, const ReferenceAnswer& expected,
      const Bounds& bounds);

  /// What is wrong with an answer that the candidate has given over such contents. The rest is as
  /// in judge_over.
  [[nodiscard]] Attempt<std::optional<WrongAnswer>> judge_given(
      const Answer& answer, const std::vector<std::span<const std::byte>>& contents,
      const Bounds& bounds);

 private:
  [[nodiscard]] Attempt<void> weigh();
  [[nodiscard]] Attempt<void> check_round(int round, const Bounds& bounds);
  [[nodiscard]] Attempt<void> check_further_changes(int round, const Bounds& bounds);
  [[nodiscard]] Attempt<void> check_candidate(int round, const Bounds& bounds);
  [[nodiscard]] Attempt<void> compare_round(const Answer& answer, int round, const Bounds& bounds);
  [[nodiscard]] Attempt<void> keep_state_of_reference(const Bounds& bounds);
  [[nodiscard]] Attempt<void> compare_state(const Bounds& bounds);
  [[nodiscard]] Attempt<std::optional<WrongAnswer>> compare_to(const Answer& answer,
                                                               const Answer& expected, int round,
                                                               const Edges::Fill& fill,
                                                               const Bounds& bounds);
  [[nodiscard]] Attempt<std::optional<WrongAnswer>> compare_changes(const Answer& answer,
                                                                    const Answer& expected,
                                                                    int round,
                                                                    const Edges::Fill& fill);
  [[nodiscard]] std::vector<judge::OutputView> inputs_of_reference(int round);
  [[nodiscard]] Attempt<bool> are_edges(const WrongAnswer& wrong, const Answer& answer,
                                        const Answer& expected, const Edges::Fill& fill,
                                        const Bounds& bounds);
  [[nodiscard]] bool may_overflow() const;
  [[nodiscard]] Attempt<void> check_within_range(int round, const Bounds& bounds);
  [[nodiscard]] Attempt<void> check_without_ties(WrongAnswer wrong, int round,
                                                 const Bounds& bounds);
  [[nodiscard]] Attempt<void> check_over(const std::vector<tensor::Distribution>& choices,
                                         int round, const Bounds& bounds);
  [[nodiscard]] Attempt<void> expect_reference(int round, const Bounds& bounds);
  [[nodiscard]] Attempt<void> expect_over(const std::vector<tensor::Distribution>& choices,
                                          int round, const Bounds& bounds);
  [[nodiscard]] std::vector<tensor::Distribution> distributions_of(int round,
                                                                   std::uint64_t change) const;
  void use(const tensor::Distribution& distribution, int round);
  void probe(int round);
  [[nodiscard]] std::vector<judge::OutputView> input_views() const;
  [[nodiscard]] PythonContender* input_maker() const;
  [[nodiscard]] std::uint64_t seed_of_inputs(int round) const;
  [[nodiscard]] Attempt<void> make_inputs(int round, const Bounds& bounds);
  [[nodiscard]] std::optional<Payload> contract_payload(InputSet& inputs, int round) const;
  [[nodiscard]] RoundInputs inputs_of(int round, std::size_t run);
  [[nodiscard]] Attempt<void> run_candidate(int round, bool again, const Bounds& bounds);
  [[nodiscard]] Attempt<void> check_repeats(int round, const Bounds& bounds);
  [[nodiscard]] Attempt<bool> follows_reference(const Answer& answer, int round,
                                                const Bounds& bounds);
  [[nodiscard]] std::vector<std::span<const std::byte>> contents_of_reference(
      const std::vector<std::span<const std::byte>>& contents);
  [[nodiscard]] Attempt<KeptAnswer> reference_over(
      const std::vector<std::span<const std::byte>>& contents, const Bounds& bounds);
  /// Runs the candidate over such contents.
  [[nodiscard]] Attempt<JudgedAnswer> run_over(
      const std::vector<std::span<const std::byte>>& contents, const Bounds& bounds);
  [[nodiscard]] Attempt<std::optional<WrongAnswer>> compare_over(const Answer& answer,
                                                                 const ReferenceAnswer& expected,
                                                                 const Bounds& bounds);
  [[nodiscard]] std::optional<WrongAnswer> compare(const Answer& answer, const Answer& expected,
                                                   int round);

  const EvaluationInput& input_;
  const Request& request_;
  Pair& pair_;
  Blame& blame_;
  Progress& progress_;
  Outcome& outcome_;
  Expecting expecting_;
  Comparing comparing_;
  std::optional<InputSet> inputs_;  // of the current round; the contenders look into it
  std::optional<Payload> own_;      // as the author's get_inputs made them, where one does
  std::optional<Payload> given_;    // the same under the round's distribution
  tensor::Distribution distribution_;
  std::optional<Expectation> expected_;
  std::optional<KeptAnswer> kept_;  // what the reference's model keeps of its first call
  bool keeps_state_ = false;
  bool changes_little_ = false;         // the reference does: an output is nearly an input
  bool overflows_ = false;              // beyond the author's inputs
  bool breaks_ties_otherwise_ = false;  // among equal numbers that the author's inputs have not
  std::optional<KeptAnswer> previous_;  // what was expected in the last round of own inputs
};

}  // namespace assay::eval
