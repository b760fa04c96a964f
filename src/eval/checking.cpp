#include "eval/checking.hpp"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "eval/answer.hpp"
#include "eval/contender.hpp"
#include "eval/payload.hpp"
#include "eval/python_contender.hpp"
#include "eval/runner.hpp"
#include "judge/compare.hpp"
#include "model/kernel.hpp"
#include "model/outcome.hpp"
#include "model/python_protocol.hpp"
#include "model/request.hpp"
#include "model/verdict.hpp"
#include "tensor/arena.hpp"
#include "tensor/generate.hpp"

namespace assay::eval {
namespace {

bool lacks_contract(const PythonContender* contender) {
  return contender != nullptr && !contender->has_contract();
}

bool changed_inputs(const Setback& setback) {
  const auto* fate = std::get_if<Fate>(&setback);
  const auto* tampered = fate == nullptr ? nullptr : std::get_if<Tampered>(&fate->verdict);
  return tampered != nullptr && tampered->rule == kInputModified;
}

}  // namespace

Attempt<void> Checking::check(const Bounds& bounds) {
  outcome_.check = CheckSummary{.rounds_passed = 0, .rounds_total = request_.rounds};
  for (int round = 1; round <= request_.rounds; ++round) {
    if (auto passed = check_round(round, bounds); !passed) return passed;
    ++outcome_.check->rounds_passed;
  }
  return {};
}

Attempt<void> Checking::check_round(int round, const Bounds& bounds) {
  inputs_.emplace();
  if (auto made = make_inputs(round, bounds); !made) return made;
  if (pair_.reference() != nullptr) {
    if (auto expected = expect_reference(round, bounds); !expected) return expected;
  }
  if (auto ran = run_candidate(round, false, bounds); !ran) return ran;
  auto answer = pair_.candidate().answer(bounds);
  if (!answer) return blame_.candidate(std::move(answer).error());
  if (pair_.reference() == nullptr) {  // what it gave first is what it must give again
    if (auto empty = judge::nothing_to_compare(answer->views, round)) {
      return std::unexpected(Fate{std::move(*empty), {}});
    }
    expected_.emplace(*answer);
  } else if (auto wrong = compare(*answer, expected_->answer(), round)) {
    return std::unexpected(Fate{explained(std::move(*wrong)), {}});
  }
  return round == 1 ? check_repeats(round, bounds) : Attempt<void>{};
}

Attempt<void> Checking::expect_reference(int round, const Bounds& bounds) {
  if (auto ran = run_reference(round, bounds); !ran) {
    return blame_.reference(std::move(ran).error());
  }
  auto answer = pair_.reference()->answer(bounds);
  if (!answer) return blame_.reference(std::move(answer).error());
  expected_.emplace(*answer);
  PythonContender* const python = pair_.python_reference();
  if (python != nullptr && input_maker() == python && round < request_.rounds) {
    python->produce_ahead(Parcel::inputs, seed_of_inputs(round + 1), bounds);
  }
  return {};
}

/// Whose get_inputs gives the inputs, where one does. A candidate makes its own only where it
/// stands alone: it must not choose what it is judged by.
PythonContender* Checking::input_maker() const {
  for (PythonContender* const contender : {pair_.python_reference(), pair_.python_candidate()}) {
    if (!lacks_contract(contender) || !contender->loaded().has_inputs) continue;
    return contender == pair_.python_candidate() && request_.reference ? nullptr : contender;
  }
  return nullptr;
}

std::uint64_t Checking::seed_of_inputs(int round) const {
  return tensor::seed_for_unseeded(input_.secret, round, 0);
}

/// Kernels without a contract are called with what the reference's get_inputs gives, or with what
/// the other one's contract says.
Attempt<void> Checking::make_inputs(int round, const Bounds& bounds) {
  given_.reset();
  if (!lacks_contract(pair_.python_reference()) && !lacks_contract(pair_.python_candidate())) {
    return {};
  }
  if (PythonContender* const maker = input_maker()) {
    auto payload = maker->produce(Parcel::inputs, seed_of_inputs(round), bounds);
    if (!payload) return pair_.blame(*maker, std::move(payload).error());
    given_ = std::move(*payload);
    return {};
  }
  for (const Kernel* kernel :
       {request_.reference ? &*request_.reference : nullptr, &request_.candidate}) {
    if (kernel == nullptr || !kernel->io) continue;
    given_ = payload_of(*kernel->io, *inputs_, input_.secret, round);
    return {};
  }
  return std::unexpected(
      Fate{DidNotCompile{"nothing says what the kernel is called with: define get_inputs() in "
                         "the reference, as a function of the module and not as a method of the "
                         "model, or give an io contract"},
           {}});
}

/// `run` counts the runs of a round that are held against each other. What a kernel leaves
/// unwritten then differs from one to the next, whatever number it is taken for.
RoundInputs Checking::inputs_of(int round, std::size_t run) {
  return {.generated = *inputs_,
          .secret = input_.secret,
          .round = round,
          .blank = tensor::kPoisons[run],
          .given = given_ ? &*given_ : nullptr};
}

/// A reference that works in place shows that inputs may change: then they may for both.
Attempt<void> Checking::run_reference(int round, const Bounds& bounds) {
  Contender& reference = *pair_.reference();
  if (auto filled = reference.fill(inputs_of(round, 0), bounds); !filled) return filled;
  auto ran = reference.run(bounds);
  if (ran || pair_.python_reference() == nullptr || !given_ || !changed_inputs(ran.error())) {
    return ran;
  }
  for (PythonContender* const contender : {pair_.python_reference(), pair_.python_candidate()}) {
    if (contender != nullptr) contender->allow_input_changes();
  }
  if (auto filled = reference.fill(inputs_of(round, 0), bounds); !filled) return filled;
  return reference.run(bounds);
}

Attempt<void> Checking::run_candidate(int round, bool again, const Bounds& bounds) {
  const std::size_t run = (pair_.reference() != nullptr ? 1U : 0U) + (again ? 1U : 0U);
  auto ran = pair_.candidate().fill(inputs_of(round, run), bounds);
  if (ran) ran = pair_.candidate().run(bounds);
  if (!ran) return blame_.candidate(std::move(ran).error());
  return {};
}

/// The same inputs again must give the same answer, within the tolerance.
Attempt<void> Checking::check_repeats(int round, const Bounds& bounds) {
  if (auto ran = run_candidate(round, true, bounds); !ran) return ran;
  auto answer = pair_.candidate().answer(bounds);
  if (!answer) return blame_.candidate(std::move(answer).error());
  auto wrong = compare(*answer, expected_->answer(), round);
  if (!wrong) return {};
  if (wrong->mismatches > 0 && differences_.unwritten == differences_.mismatches) {
    return std::unexpected(Fate{explained(std::move(*wrong)), {}});  // no answer, not another one
  }
  return std::unexpected(
      Fate{NonDeterministic{
               .reason = "A second run over the same inputs gave another answer: " + wrong->reason,
               .first = std::move(wrong->first)},
           {}});
}

std::optional<WrongAnswer> Checking::compare_with_last(const Answer& answer) {
  return compare(answer, expected_->answer(), request_.rounds);
}

Attempt<JudgedAnswer> Checking::judge_over(const std::vector<std::span<const std::byte>>& contents,
                                           const Bounds& bounds) {
  std::optional<KeptAnswer> expected;
  if (pair_.reference() != nullptr) {
    auto answered = reference_over(contents, bounds);
    if (!answered) return blame_.reference(std::move(answered).error());
    expected.emplace(std::move(*answered));
  }
  Contender& candidate = pair_.candidate();
  auto ran = candidate.refill(contents, tensor::kPoisons[1]);
  if (ran) ran = candidate.run(bounds);
  if (!ran) return blame_.candidate(std::move(ran).error());
  auto answer = candidate.answer(bounds);
  if (!answer) return blame_.candidate(std::move(answer).error());
  JudgedAnswer judged{.candidate = std::move(*answer), .wrong = {}};
  if (expected) judged.wrong = compare(judged.candidate, expected->answer(), request_.rounds);
  return judged;
}

/// Both kernels were given views of the same bytes, so where a view lies tells which of the
/// candidate's tensors it is.
Attempt<KeptAnswer> Checking::reference_over(
    const std::vector<std::span<const std::byte>>& contents, const Bounds& bounds) {
  const auto before = pair_.candidate().contents();
  auto own = pair_.reference()->contents();
  for (auto& content : own) {
    for (std::size_t i = 0; i < before.size() && !content.empty(); ++i) {
      if (before[i].data() != content.data()) continue;
      content = contents[i];
      break;
    }
  }
  auto ran = pair_.reference()->refill(own, tensor::kPoisons[0]);
  if (ran) ran = pair_.reference()->run(bounds);
  if (!ran) return std::unexpected(std::move(ran).error());
  auto answer = pair_.reference()->answer(bounds);
  if (!answer) return std::unexpected(std::move(answer).error());
  return KeptAnswer(*answer);
}

std::optional<WrongAnswer> Checking::compare(const Answer& answer, const Answer& expected,
                                             int round) {
  if (answer.structure != expected.structure) {
    return WrongAnswer{.reason = fmt::format("Structure mismatch: ref={}, custom={}",
                                             expected.structure, answer.structure),
                       .round = round};
  }
  Tolerance tolerance = request_.tolerance;
  tolerance.equal_nan = pair_.reference() == nullptr;
  auto wrong = judge::compare_outputs(answer.views, expected.views, tolerance, round, differences_);
  outcome_.check->max_difference = differences_.max;
  outcome_.check->mean_difference = differences_.mean();
  return wrong;
}

/// Weights that differ explain a wrong answer better than its elements do.
WrongAnswer Checking::explained(WrongAnswer wrong) const {
  if (!pair_.unmatched().empty()) {
    wrong.reason += fmt::format(
        ". The candidate's weights are not all the reference's; without a match by name and "
        "shape: {}",
        fmt::join(pair_.unmatched(), ", "));
  }
  return wrong;
}

}  // namespace assay::eval
