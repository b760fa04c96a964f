// Answers that are compared beside the rounds: those of timed calls, and of calls over other
// inputs.

#include <cstddef>
#include <expected>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "eval/answer.hpp"
#include "eval/checking.hpp"
#include "eval/contender.hpp"
#include "eval/edges.hpp"
#include "eval/expectation.hpp"
#include "eval/python_contender.hpp"
#include "eval/runner.hpp"
#include "judge/compare.hpp"
#include "model/dtype.hpp"
#include "model/verdict.hpp"
#include "tensor/arena.hpp"

namespace assay::eval {

Attempt<std::optional<WrongAnswer>> Checking::compare_with_last(const Answer& answer,
                                                                const Bounds& bounds) {
  if (keeps_state_) return std::nullopt;  // that was an answer after fewer calls
  const auto fill = [&] { return pair_.reference()->fill(last_inputs(), bounds); };
  return compare_timed(answer, expected_->answer.answer(), fill, bounds);
}

Attempt<std::optional<WrongAnswer>> Checking::compare_timed(const Answer& answer,
                                                            const Answer& expected,
                                                            const Edges::Fill& fill,
                                                            const Bounds& bounds) {
  return compare_to(answer, expected, request_.rounds, fill, bounds);
}

Attempt<std::optional<WrongAnswer>> Checking::compare_to(const Answer& answer,
                                                         const Answer& expected, int round,
                                                         const Edges::Fill& fill,
                                                         const Bounds& bounds) {
  const auto before = comparing_.differences();
  const auto used = outcome_.check->tolerance;
  auto wrong = compare(answer, expected, round);
  if (!wrong) return compare_changes(answer, expected, round, fill);
  auto edges = are_edges(*wrong, answer, expected, fill, bounds);
  if (!edges) return blame_.reference(std::move(edges).error());
  if (!*edges) return wrong;
  comparing_.forget(before, used);
  return std::nullopt;
}

/// Of answers that the tolerance allows. What the inputs of a timed call were, only a fill tells:
/// it is made if an output of the checked rounds was nearly an input.
Attempt<std::optional<WrongAnswer>> Checking::compare_changes(const Answer& answer,
                                                              const Answer& expected, int round,
                                                              const Edges::Fill& fill) {
  const Circumstances at{.known = *expected_, .distribution = distribution_, .round = round};
  if (!comparing_.judges_parts(expected, at)) return std::nullopt;
  const bool is_timed = &expected != &expected_->answer.answer();
  if (is_timed) {
    if (!changes_little_) return std::nullopt;
    if (auto filled = fill(); !filled) return blame_.reference(std::move(filled).error());
  }
  return comparing_.wrong_changes(answer, expected, inputs_of_reference(round), at,
                                  changes_little_);
}

/// As they were before the run. None of those that lie in another order than they are written.
std::vector<judge::OutputView> Checking::inputs_of_reference(int round) {
  const auto contents = pair_.reference()->contents();
  const auto leaves = expecting_.tensors(inputs_of(round, 0));
  std::vector<judge::OutputView> inputs;
  for (std::size_t i = 0; i < contents.size() && i < leaves.size(); ++i) {
    if (!leaves[i].order.empty() ||
        contents[i].size() != element_count(leaves[i].shape) * size_of(leaves[i].dtype)) {
      continue;
    }
    inputs.push_back({.name = "input",
                      .shape = leaves[i].shape,
                      .dtype = leaves[i].dtype,
                      .bytes = contents[i]});
  }
  return inputs;
}

/// Whether all that is wrong are elements that the reference could give as well.
Attempt<bool> Checking::are_edges(const WrongAnswer& wrong, const Answer& answer,
                                  const Answer& expected, const Edges::Fill& fill,
                                  const Bounds& bounds) {
  if (pair_.reference() == nullptr || keeps_state_ || wrong.rule != "tolerance") return false;
  if (PythonContender* const python = pair_.python_reference()) python->await_ahead();
  const Circumstances at{.known = *expected_, .distribution = distribution_, .round = wrong.round};
  Edges edges(*pair_.reference(), expecting_.tensors(inputs_of(wrong.round, 0)));
  const auto limits = comparing_.limits_of(expected, at);
  auto ties = edges.are_ties(answer, expected, limits, fill, bounds);
  const bool is_exact = request_.tolerance_rule == ToleranceRule::request;
  if (!ties || *ties || is_exact || !Edges::may_explain(wrong)) return ties;
  return edges.explain(answer, expected, limits, fill, bounds);
}

Attempt<JudgedAnswer> Checking::judge_fresh(FreshInputs& inputs, const Bounds& bounds) {
  Contender& reference = *pair_.reference();
  auto ran = reference.fill(inputs.of_round(), bounds);
  if (ran) ran = reference.run(bounds);
  if (!ran) return blame_.reference(std::move(ran).error());
  auto expected = reference.answer(bounds);
  if (!expected) return blame_.reference(std::move(expected).error());
  const KeptAnswer kept(*expected);
  reference.release_answer();
  if (PythonContender* const python = pair_.python_candidate()) {
    python->expect_size_of(kept.answer());
  }
  Contender& candidate = pair_.candidate();
  ran = candidate.fill(inputs.of_round(), bounds);
  if (ran) ran = pair_.run(candidate, bounds);
  if (!ran) return blame_.candidate(std::move(ran).error());
  auto answer = candidate.answer(bounds);
  if (!answer) return blame_.candidate(std::move(answer).error());
  auto wrong = compare_timed(
      *answer, kept.answer(), [&] { return reference.fill(inputs.of_round(), bounds); }, bounds);
  if (!wrong) return std::unexpected(std::move(wrong).error());
  return JudgedAnswer{.candidate = std::move(*answer), .wrong = *std::move(wrong)};
}

Attempt<ReferenceAnswer> Checking::ask_reference(
    const std::vector<std::span<const std::byte>>& contents, const Bounds& bounds) {
  auto own = contents_of_reference(contents);
  auto answered = reference_over(own, bounds);
  if (!answered) return blame_.reference(std::move(answered).error());
  return ReferenceAnswer{.contents = std::move(own), .answer = *std::move(answered)};
}

Attempt<JudgedAnswer> Checking::judge_over(const std::vector<std::span<const std::byte>>& contents,
                                           const Bounds& bounds) {
  if (pair_.reference() == nullptr) return run_over(contents, bounds);
  auto expected = ask_reference(contents, bounds);
  if (!expected) return std::unexpected(std::move(expected).error());
  return judge_over(contents, *expected, bounds);
}

Attempt<JudgedAnswer> Checking::judge_over(const std::vector<std::span<const std::byte>>& contents,
                                           const ReferenceAnswer& expected, const Bounds& bounds) {
  if (PythonContender* const python = pair_.python_candidate()) {
    python->expect_size_of(expected.answer.answer());
  }
  auto judged = run_over(contents, bounds);
  if (!judged) return judged;
  auto wrong = compare_over(judged->candidate, expected, bounds);
  if (!wrong) return std::unexpected(std::move(wrong).error());
  judged->wrong = *std::move(wrong);
  return judged;
}

Attempt<JudgedAnswer> Checking::run_over(const std::vector<std::span<const std::byte>>& contents,
                                         const Bounds& bounds) {
  Contender& candidate = pair_.candidate();
  auto ran = candidate.refill(contents, tensor::kPoisons[1]);
  if (ran) ran = pair_.run(candidate, bounds);
  if (!ran) return blame_.candidate(std::move(ran).error());
  auto answer = candidate.answer(bounds);
  if (!answer) return blame_.candidate(std::move(answer).error());
  return JudgedAnswer{.candidate = std::move(*answer), .wrong = {}};
}

Attempt<std::optional<WrongAnswer>> Checking::judge_given(
    const Answer& answer, const std::vector<std::span<const std::byte>>& contents,
    const Bounds& bounds) {
  if (pair_.reference() == nullptr) return std::nullopt;
  auto expected = ask_reference(contents, bounds);
  if (!expected) return std::unexpected(std::move(expected).error());
  auto wrong = compare_over(answer, *expected, bounds);
  if (!wrong) return wrong;
  // Only now: it overwrites the answer. Both must look at the same bytes, see
  // contents_of_reference.
  if (auto filled = pair_.candidate().refill(contents, tensor::kPoisons[1]); !filled) {
    return blame_.candidate(std::move(filled).error());
  }
  return wrong;
}

Attempt<std::optional<WrongAnswer>> Checking::compare_over(const Answer& answer,
                                                           const ReferenceAnswer& expected,
                                                           const Bounds& bounds) {
  const auto fill = [&] {
    return pair_.reference()->refill(expected.contents, tensor::kPoisons[0]);
  };
  return compare_timed(answer, expected.answer.answer(), fill, bounds);
}

/// Both kernels were given views of the same bytes, so where a view lies tells which of the
/// candidate's tensors it is.
std::vector<std::span<const std::byte>> Checking::contents_of_reference(
    const std::vector<std::span<const std::byte>>& contents) {
  const auto before = pair_.candidate().contents();
  auto own = pair_.reference()->contents();
  for (auto& content : own) {
    for (std::size_t i = 0; i < before.size() && !content.empty(); ++i) {
      if (before[i].data() != content.data()) continue;
      content = contents[i];
      break;
    }
  }
  return own;
}

Attempt<KeptAnswer> Checking::reference_over(
    const std::vector<std::span<const std::byte>>& contents, const Bounds& bounds) {
  auto ran = pair_.reference()->refill(contents, tensor::kPoisons[0]);
  if (ran) ran = pair_.reference()->run(bounds);
  if (!ran) return std::unexpected(std::move(ran).error());
  auto answer = pair_.reference()->answer(bounds);
  if (!answer) return std::unexpected(std::move(answer).error());
  KeptAnswer kept(*answer);
  pair_.reference()->release_answer();
  return kept;
}

std::optional<WrongAnswer> Checking::compare(const Answer& answer, const Answer& expected,
                                             int round) {
  return comparing_.compare(answer, expected,
                            {.known = *expected_, .distribution = distribution_, .round = round});
}

}  // namespace assay::eval
