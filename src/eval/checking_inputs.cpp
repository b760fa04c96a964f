// Whatever kernels are called with while they are checked.

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "eval/checking.hpp"
#include "eval/contender.hpp"
#include "eval/input_set.hpp"
#include "eval/payload.hpp"
#include "eval/python_contender.hpp"
#include "eval/runner.hpp"
#include "model/kernel.hpp"
#include "model/outcome.hpp"
#include "model/python_protocol.hpp"
#include "model/verdict.hpp"
#include "tensor/arena.hpp"
#include "tensor/distribution.hpp"
#include "tensor/generate.hpp"

namespace assay::eval {
namespace {

bool lacks_contract(const PythonContender* contender) {
  return contender != nullptr && !contender->has_contract();
}

}  // namespace

RoundInputs FreshInputs::of_round() {
  return {.generated = generated,
          .secret = secret,
          .round = round,
          .blank = {},
          .given = given ? &*given : nullptr};
}

/// The first and the last round have the author's own inputs: the first is the plainest to
/// understand, and what the last one leaves is timed. A reference that keeps state must run as
/// often as the candidate, so that no distribution can be tried out on it.
std::vector<tensor::Distribution> Checking::distributions_of(int round,
                                                             std::uint64_t change) const {
  if (round == 1 || round == request_.rounds || keeps_state_) return {{}};
  const std::uint64_t seed = tensor::seed_for_unseeded(input_.secret, round, 2);
  auto chosen = tensor::choose_distribution(seed, change);
  if (request_.keep_range) chosen = tensor::within_range(chosen);
  for (const auto* kernel :
       {&request_.candidate, request_.reference ? &*request_.reference : nullptr}) {
    if (kernel != nullptr && kernel->io) chosen = fitting(*kernel->io, chosen);
  }
  std::vector<tensor::Distribution> choices;
  const auto widening = request_.keep_range ? tensor::Widening::masks : tensor::Widening::all;
  if (own_ && can_widen(*own_, widening)) {
    choices.push_back({chosen.pattern, chosen.spread, widening});
    choices.push_back({.widening = widening});
  }
  choices.insert(choices.end(), {chosen, {.spread = chosen.spread}, {}});
  return choices;
}

void Checking::use(const tensor::Distribution& distribution, int round) {
  distribution_ = distribution;
  inputs_.emplace(distribution);
  if (own_) {
    given_ = transformed(*own_, distribution, seed_of_inputs(round));
  } else if (given_) {
    given_ = contract_payload(*inputs_, round);
  }
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
  own_.reset();
  if (!lacks_contract(pair_.python_reference()) && !lacks_contract(pair_.python_candidate())) {
    return {};
  }
  if (PythonContender* const maker = input_maker()) {
    auto payload = maker->produce(Parcel::inputs, seed_of_inputs(round), bounds);
    if (!payload) return pair_.blame(*maker, std::move(payload).error());
    own_ = std::move(*payload);
    outcome_.check->made_on_device = own_->made_on_device;
    given_ = transformed(*own_, {}, 0);
    return {};
  }
  given_ = contract_payload(*inputs_, round);
  if (given_) return {};
  return std::unexpected(
      Fate{DidNotCompile{fmt::format(
               "nothing says what the kernel is called with: define get_inputs() in the {}, as a "
               "function of the module and not as a method of the model, or give an io contract",
               request_.reference ? "reference" : "source")},
           {}});
}

/// What the contract of one kernel gives to the other, which has none.
std::optional<Payload> Checking::contract_payload(InputSet& inputs, int round) const {
  for (const Kernel* kernel :
       {request_.reference ? &*request_.reference : nullptr, &request_.candidate}) {
    if (kernel == nullptr || !kernel->io) continue;
    return payload_of(*kernel->io, inputs, input_.secret, round);
  }
  return std::nullopt;
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

Attempt<std::unique_ptr<FreshInputs>> Checking::fresh_inputs(int call, const FreshInputs* like,
                                                             const Bounds& bounds) {
  const int round = request_.rounds + 1 + call;
  auto fresh = std::make_unique<FreshInputs>(
      FreshInputs{.generated = InputSet(like == nullptr ? nullptr : &like->generated),
                  .secret = input_.secret,
                  .round = round});
  if (!lacks_contract(pair_.python_reference()) && !lacks_contract(pair_.python_candidate())) {
    return fresh;
  }
  PythonContender* const maker = input_maker();
  if (maker == nullptr) {
    fresh->given = contract_payload(fresh->generated, round);
    return fresh;
  }
  auto payload = maker->produce(Parcel::inputs, seed_of_inputs(round), bounds);
  if (!payload) return pair_.blame(*maker, std::move(payload).error());
  // A get_inputs that seeds itself gives the same each time.
  if (given_ && same_elements(*payload, *given_))
    *payload = varied(*payload, seed_of_inputs(round));
  const Payload* before = like != nullptr && like->given ? &*like->given : nullptr;
  fresh->given =
      before != nullptr ? copied_like(*payload, *before, seed_of_inputs(round)) : copied(*payload);
  return fresh;
}

void Checking::keep_last_inputs() {
  if (given_) given_ = copied(*given_);
}

RoundInputs Checking::last_inputs() {
  return inputs_of(request_.rounds, 1);
}

}  // namespace assay::eval
