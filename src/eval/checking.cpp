#include "eval/checking.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
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
#include "model/outcome.hpp"
#include "model/python_protocol.hpp"
#include "model/request.hpp"
#include "model/tree.hpp"
#include "model/verdict.hpp"
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
    if (!request_.strict && wrong->rule == "tolerance" && tensor::makes_ties(distribution_)) {
      auto right = check_without_ties(std::move(*wrong), round, bounds);
      if (right) comparing_.forget(before, used);
      return right;
    }
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
  return check_over({tensor::within_range(distribution_), {}}, round, bounds);
}

/// The round once more, where numbers that differ in the author's inputs differ too. A kernel that
/// is right there only breaks ties in another way: a cut that falls on equal numbers may keep any
/// of them.
Attempt<void> Checking::check_without_ties(WrongAnswer wrong, int round, const Bounds& bounds) {
  tensor::Distribution apart = distribution_;
  apart.apart = true;
  const std::string ties = tensor::describe(distribution_);
  auto right = check_over({apart, {}}, round, bounds);
  const auto* fate = right ? nullptr : std::get_if<Fate>(&right.error());
  const bool is_wrong = fate != nullptr && std::holds_alternative<WrongAnswer>(fate->verdict);
  if (is_wrong || (right && distribution_.is_own())) {
    return std::unexpected(Fate{comparing_.explained(std::move(wrong)), {}});
  }
  if (!right) return right;
  if (!std::exchange(breaks_ties_otherwise_, true)) {
    outcome_.warnings.push_back(
        {.code = "ties",
         .message = fmt::format(
             "The candidate is wrong where numbers are equal that differ in the author's inputs: "
             "{} elements of {}. It is right where they differ. The inputs of this round: {}",
             wrong.mismatches, wrong.compared, ties),
         .passes = {}});
  }
  return {};
}

/// The round once more, over the first of these inputs that the reference knows an answer to.
Attempt<void> Checking::check_over(const std::vector<tensor::Distribution>& choices, int round,
                                   const Bounds& bounds) {
  if (pair_.python_reference() != nullptr) pair_.python_reference()->await_ahead();
  outcome_.check->inputs.pop_back();
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

}  // namespace assay::eval
