#include "eval/checking.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "eval/answer.hpp"
#include "eval/contender.hpp"
#include "eval/edges.hpp"
#include "eval/expectation.hpp"
#include "eval/input_set.hpp"
#include "eval/kept_state.hpp"
#include "eval/payload.hpp"
#include "eval/python_contender.hpp"
#include "eval/runner.hpp"
#include "judge/compare.hpp"
#include "judge/probes.hpp"
#include "model/kernel.hpp"
#include "model/outcome.hpp"
#include "model/python_protocol.hpp"
#include "model/request.hpp"
#include "model/tree.hpp"
#include "model/verdict.hpp"
#include "tensor/arena.hpp"
#include "tensor/distribution.hpp"
#include "tensor/generate.hpp"

namespace assay::eval {
namespace {

constexpr int kFewestChanges = 4;  // of the inputs, where a round takes no longer than this:
constexpr std::chrono::milliseconds kQuickRound{250};

/// Of a reference that can be asked again.
bool is_refusal(const Setback& setback) {
  const auto* fate = std::get_if<Fate>(&setback);
  if (fate == nullptr) return false;
  const auto* crashed = std::get_if<Crashed>(&fate->verdict);
  return (crashed != nullptr && !crashed->signal) ||
         std::holds_alternative<Unsupported>(fate->verdict) ||
         std::holds_alternative<OutOfMemory>(fate->verdict);
}

}  // namespace

Attempt<void> Checking::check(const Bounds& bounds) {
  outcome_.check = CheckSummary{.rounds_passed = 0, .rounds_total = request_.rounds};
  for (int round = 1; round <= request_.rounds; ++round) {
    progress_.say(fmt::format("round {} of {}", round, request_.rounds));
    const auto before = bounds.deadline.remaining();
    if (auto passed = check_round(round, bounds); !passed) return passed;
    const auto taken = before - bounds.deadline.remaining();
    if (round == 2 && taken <= kQuickRound) {
      if (auto passed = check_further_changes(round, bounds); !passed) return passed;
    }
    ++outcome_.check->rounds_passed;
  }
  return weigh();
}

/// What is odd about the request is told; a strict one ends here.
Attempt<void> Checking::weigh() {
  if (!pair_.unmatched().empty()) {
    const std::string told = fmt::format(
        "The candidate has no parameter of the same name and shape for these of the reference: {}",
        fmt::join(pair_.unmatched(), ", "));
    if (request_.strict) {
      return std::unexpected(Fate{WrongAnswer{.reason = told, .rule = "state"}, {}});
    }
    outcome_.warnings.push_back({.code = "unmatched_state", .message = told, .passes = {}});
  }
  const auto weak = std::ranges::find(outcome_.warnings, "weak_check", &Warning::code);
  if (request_.strict && weak != outcome_.warnings.end()) {
    return std::unexpected(Fate{WeakCheck{.reason = weak->message, .passes = weak->passes}, {}});
  }
  return {};
}

Attempt<void> Checking::check_round(int round, const Bounds& bounds) {
  if (expected_) {
    const bool is_probed = pair_.reference() != nullptr && distribution_.is_own();
    if (is_probed) previous_.emplace(std::move(expected_->answer));
    expected_.reset();
  }
  inputs_.emplace();
  if (auto made = make_inputs(round, bounds); !made) return made;
  if (pair_.reference() != nullptr) {
    if (auto expected = expect_reference(round, bounds); !expected) return expected;
  }
  progress_.say(fmt::format("round {} of {}, the candidate", round, request_.rounds));
  if (auto ran = run_candidate(round, false, bounds); !ran) return ran;
  auto answer = pair_.candidate().answer(bounds);
  if (!answer) return blame_.candidate(std::move(answer).error());
  if (pair_.reference() == nullptr) {  // what it gave first is what it must give again
    if (auto empty = judge::nothing_to_compare(answer->views, round)) {
      return std::unexpected(Fate{std::move(*empty), {}});
    }
    expected_.emplace(Expectation{.answer = KeptAnswer(*answer), .precise = {}, .outputs = {}});
  } else if (auto right = compare_round(*answer, round, bounds); !right) {
    return right;
  }
  if (round > 1) return {};
  if (auto compared = compare_state(bounds); !compared) return compared;
  return check_repeats(round, bounds);
}

/// Some mistakes show only over larger numbers, some only over smaller ones. If a request has too
/// few rounds to try both, the inputs of one round are changed in several ways.
Attempt<void> Checking::check_further_changes(int round, const Bounds& bounds) {
  std::vector<tensor::Distribution> tried = {distributions_of(round, 0).front()};
  if (pair_.reference() == nullptr || tried.front().is_own()) return {};
  const int of_other_rounds = request_.rounds - 3;
  for (int change = 1; change < kFewestChanges - of_other_rounds; ++change) {
    const auto choices = distributions_of(round, static_cast<std::uint64_t>(change));
    if (std::ranges::find(tried, choices.front()) != tried.end()) continue;
    tried.push_back(choices.front());
    if (pair_.python_reference() != nullptr) pair_.python_reference()->await_ahead();
    if (auto done = expect_over(choices, round, bounds); !done) return done;
    if (distribution_.is_own()) continue;
    outcome_.check->inputs.push_back(tensor::describe(distribution_));
    if (auto right = check_candidate(round, bounds); !right) return right;
  }
  return {};
}

/// Against what the reference has answered over the same inputs.
Attempt<void> Checking::check_candidate(int round, const Bounds& bounds) {
  if (auto ran = run_candidate(round, false, bounds); !ran) return ran;
  auto answer = pair_.candidate().answer(bounds);
  if (!answer) return blame_.candidate(std::move(answer).error());
  return compare_round(*answer, round, bounds);
}

/// What a model keeps of its calls shows in no answer, if it is a running mean. After one call each
/// it can be compared: later both have been called differently often.
Attempt<void> Checking::keep_state_of_reference(const Bounds& bounds) {
  PythonContender* const reference = pair_.python_reference();
  if (!pair_.both_take_state() || reference->may_change_inputs()) return {};  // called twice
  auto kept = reference->kept(bounds);
  if (!kept) return blame_.reference(std::move(kept).error());
  if (!kept->views.empty()) kept_.emplace(*kept);
  return {};
}

Attempt<void> Checking::compare_state(const Bounds& bounds) {
  if (!kept_) return {};
  auto kept = pair_.python_candidate()->kept(bounds);
  if (!kept) return blame_.candidate(std::move(kept).error());
  auto told = state_not_kept(kept_->answer(), *kept, pair_.unmatched());
  kept_.reset();
  if (!told) return {};
  if (request_.strict) {
    return std::unexpected(Fate{WrongAnswer{.reason = *std::move(told), .rule = "state"}, {}});
  }
  outcome_.warnings.push_back(
      {.code = "state_not_kept", .message = *std::move(told), .passes = {}});
  return {};
}

Attempt<void> Checking::compare_round(const Answer& answer, int round, const Bounds& bounds) {
  const auto before = comparing_.differences();
  const auto used = outcome_.check->tolerance;
  const Answer& expected = expected_->answer.answer();
  const auto fill = [&] { return pair_.reference()->fill(inputs_of(round, 0), bounds); };
  auto compared = compare_to(answer, expected, round, fill, bounds);
  if (!compared) return std::unexpected(std::move(compared).error());
  auto wrong = *std::move(compared);
  if (!wrong) return {};
  const Circumstances at{.known = *expected_, .distribution = distribution_, .round = round};
  if (!may_overflow() || !comparing_.only_overflows(answer, expected, at)) {
    return std::unexpected(Fate{comparing_.explained(std::move(*wrong)), {}});
  }
  if (!std::exchange(overflows_, true)) {
    outcome_.warnings.push_back(
        {.code = "overflows",
         .message = fmt::format(
             "The candidate overflows where the reference does not: {} elements of {} are wrong, "
             "and none of them is a finite number. The inputs of this round, which are larger "
             "than the author's: {}",
             wrong->mismatches, wrong->compared, tensor::describe(distribution_)),
         .passes = {}});
  }
  comparing_.forget(before, used);
  return check_within_range(round, bounds);
}

/// Under inputs larger than the author's own a kernel may overflow that is right over his.
bool Checking::may_overflow() const {
  return !request_.strict && !distribution_.is_own() &&
         tensor::within_range(distribution_) != distribution_;
}

/// The round once more, over inputs that are no larger than the author's own.
Attempt<void> Checking::check_within_range(int round, const Bounds& bounds) {
  if (pair_.python_reference() != nullptr) pair_.python_reference()->await_ahead();
  outcome_.check->inputs.pop_back();
  const auto choices = {tensor::within_range(distribution_), tensor::Distribution{}};
  if (auto done = expect_over(choices, round, bounds); !done) return done;
  if (!distribution_.is_own()) {
    outcome_.check->inputs.push_back(tensor::describe(distribution_));
  }
  return check_candidate(round, bounds);
}

Attempt<void> Checking::expect_reference(int round, const Bounds& bounds) {
  if (auto done = expect_over(distributions_of(round, 0), round, bounds); !done) return done;
  if (round == 1) {
    if (auto kept = keep_state_of_reference(bounds); !kept) return kept;
  }
  if (distribution_.is_own()) {
    probe(round);
  } else {
    outcome_.check->inputs.push_back(tensor::describe(distribution_));
  }
  PythonContender* const python = pair_.python_reference();
  if (python != nullptr && input_maker() == python && round < request_.rounds) {
    python->produce_ahead(Parcel::inputs, seed_of_inputs(round + 1), bounds);
  }
  return {};
}

/// The first of the choices under which the reference still knows what it says; the last is the
/// author's own.
Attempt<void> Checking::expect_over(const std::vector<tensor::Distribution>& choices, int round,
                                    const Bounds& bounds) {
  for (const tensor::Distribution& choice : choices) {
    use(choice, round);
    auto expected = expecting_.expect(inputs_of(round, 0), !choice.is_own(), bounds);
    if (!expected) {
      if (!choice.is_own() && is_refusal(expected.error())) continue;
      return blame_.reference(std::move(expected).error());
    }
    if (!choice.is_own() && !expected->is_stable) continue;
    expected_.emplace(std::move(*expected));
    if (PythonContender* const candidate = pair_.python_candidate()) {
      candidate->expect_size_of(expected_->answer.answer());
    }
    return {};
  }
  return {};
}

Attempt<void> Checking::run_candidate(int round, bool again, const Bounds& bounds) {
  const std::size_t run = (pair_.reference() != nullptr ? 1U : 0U) + (again ? 1U : 0U);
  auto ran = pair_.candidate().fill(inputs_of(round, run), bounds);
  if (ran) ran = pair_.run(pair_.candidate(), bounds);
  if (!ran) return blame_.candidate(std::move(ran).error());
  return {};
}

/// The same inputs again must give the same answer, within the tolerance.
Attempt<void> Checking::check_repeats(int round, const Bounds& bounds) {
  if (auto ran = run_candidate(round, true, bounds); !ran) return ran;
  auto answer = pair_.candidate().answer(bounds);
  if (!answer) return blame_.candidate(std::move(answer).error());
  const auto before = comparing_.differences();
  const auto used = outcome_.check->tolerance;
  auto wrong = compare(*answer, expected_->answer.answer(), round);
  if (!wrong) return {};
  if (pair_.reference() != nullptr) {
    auto follows = follows_reference(*answer, round, bounds);
    if (!follows) return std::unexpected(std::move(follows).error());
    const auto fill = [&] { return pair_.reference()->fill(inputs_of(round, 0), bounds); };
    auto edges = *follows ? std::move(follows)
                          : are_edges(*wrong, *answer, expected_->answer.answer(), fill, bounds);
    if (!edges) return blame_.reference(std::move(edges).error());
    if (*edges) {
      comparing_.forget(before, used);
      return {};
    }
  }
  if (wrong->mismatches > 0 &&
      comparing_.differences().unwritten == comparing_.differences().mismatches) {
    return std::unexpected(
        Fate{comparing_.explained(std::move(*wrong)), {}});  // no answer, not another one
  }
  return std::unexpected(
      Fate{NonDeterministic{
               .reason = "A second run over the same inputs gave another answer: " + wrong->reason,
               .first = std::move(wrong->first)},
           {}});
}

/// What would pass that is no work, and whether it may.
void Checking::probe(int round) {
  const auto& expected = expected_->answer.answer();
  const auto limits = expected_->limits();
  std::vector<std::string> passes;
  std::string where;
  const auto add = [&](std::string_view what, const std::string& output) {
    if (std::ranges::find(passes, what) == passes.end()) passes.emplace_back(what);
    if (where.empty()) where = output;
  };
  if (round == 1) {
    const auto inputs = input_views();
    for (std::size_t i = 0; i < expected.views.size(); ++i) {
      if (expected.views[i].is_untouched) continue;
      for (const auto shortcut : judge::passing_shortcuts(expected.views[i], limits[i], inputs)) {
        add(judge::to_string(shortcut), expected.views[i].name);
      }
    }
  } else if (previous_ && previous_->answer().views.size() == expected.views.size()) {
    bool all = true;
    for (std::size_t i = 0; i < expected.views.size() && all; ++i) {
      all = judge::agrees_throughout(previous_->answer().views[i], expected.views[i], limits[i]);
    }
    if (all) add("previous_answer", expected.views.front().name);
  }
  previous_.reset();
  if (passes.empty()) return;
  outcome_.warnings.push_back(
      {.code = "weak_check",
       .message = fmt::format("The check of '{}' is weak: its tolerance would also accept {}",
                              where, fmt::join(passes, ", ")),
       .passes = std::move(passes)});
}

/// The tensors of the round, as the candidate gets them.
std::vector<judge::OutputView> Checking::input_views() const {
  std::vector<judge::OutputView> views;
  if (!given_) return views;
  const auto leaves = tensors_of(given_->tree);
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    views.push_back({.name = "input",
                     .shape = leaves[i]->shape,
                     .dtype = leaves[i]->dtype,
                     .bytes = given_->tensors[i]});
  }
  return views;
}

/// Whether the reference, run as often, answers as this does: both may keep the same state.
Attempt<bool> Checking::follows_reference(const Answer& answer, int round, const Bounds& bounds) {
  if (pair_.python_reference() != nullptr) pair_.python_reference()->await_ahead();
  auto ran = pair_.reference()->fill(inputs_of(round, 0), bounds);
  if (ran) ran = pair_.reference()->run(bounds);
  if (!ran) return blame_.reference(std::move(ran).error());
  auto again = pair_.reference()->answer(bounds);
  if (!again) return blame_.reference(std::move(again).error());
  const KeptAnswer kept(*again);
  keeps_state_ = !compare(answer, kept.answer(), round).has_value();
  if (keeps_state_) {
    outcome_.warnings.push_back(
        {.code = "keeps_state",
         .message = "Both kernels give another answer when they are called again over the same "
                    "inputs: they keep state from call to call. So timed calls cannot be checked "
                    "by making them again",
         .passes = {}});
  }
  return keeps_state_;
}

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
