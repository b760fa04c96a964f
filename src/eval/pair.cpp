#include "eval/pair.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "eval/compiled_store.hpp"
#include "eval/contender.hpp"
#include "eval/memory_shares.hpp"
#include "eval/native_contender.hpp"
#include "eval/payload.hpp"
#include "eval/python_contender.hpp"
#include "eval/runner.hpp"
#include "model/kernel.hpp"
#include "model/outcome.hpp"
#include "model/python_protocol.hpp"
#include "model/tree.hpp"
#include "model/verdict.hpp"
#include "tensor/generate.hpp"

namespace assay::eval {

Result<void> Pair::acquire_runners(const Bounds& patience) {
  if (request_.reference && is_python(request_.reference->type)) {
    ASSAY_TRY(reference_runner_, runners_.fresh_python(patience));
  }
  if (is_python(request_.candidate.type)) {
    ASSAY_TRY(candidate_runner_, candidates_.fresh_python(patience));
  }
  return {};
}

Attempt<void> Pair::prepare(Outcome& outcome, const Bounds& bounds) {
  if (request_.reference) {
    auto loaded = load(*request_.reference, *input_.reference, {}, true, outcome, bounds);
    if (!loaded) return blame_.reference(std::move(loaded).error());
    outcome.reference_resources = reference_->resources();
  }
  const RunMode mode{.sanitize = request_.sanitize,
                     .schedule_seed = request_.schedule_seed.value_or(0)};
  auto loaded = load(request_.candidate, input_.candidate, mode, false, outcome, bounds);
  if (!loaded) return blame_.candidate(std::move(loaded).error());
  outcome.candidate_resources = candidate_->resources();
  return construct_models(bounds);
}

Attempt<void> Pair::load(const Kernel& kernel, const BuiltKernel& built, const RunMode& mode,
                         bool is_reference, Outcome& outcome, const Bounds& bounds) {
  std::unique_ptr<Contender>& into = is_reference ? reference_ : candidate_;
  RunnerSource& source = is_reference ? runners_ : candidates_;
  if (is_python(kernel.type)) {
    const auto execute = [&] {
      return PythonContender::prepare(
          {.kernel = &kernel,
           .is_reference = is_reference,
           .seed = weight_seed(),
           .device = input_.device,
           .sanitize = mode.sanitize,
           .schedule_seed = mode.schedule_seed},
          built, std::move(is_reference ? reference_runner_ : candidate_runner_), source,
          compiled_store(), bounds);
    };
    auto contender = blame_.during(is_reference ? Whose::reference : Whose::candidate, execute);
    if (!contender) return std::unexpected(std::move(contender).error());
    PythonContender* const python = contender->get();
    (is_reference ? python_reference_ : python_candidate_) = python;
    (is_reference ? outcome.provenance.reference_triton_cache_hit
                  : outcome.provenance.candidate_triton_cache_hit) = python->compiled_before();
    into = std::move(*contender);
    return {};
  }
  if (!kernel.io) {
    return std::unexpected(Fate{Unsupported{"the kernel has no io contract"}, {}});
  }
  auto contender = NativeContender::prepare(*kernel.io, built, mode, source, bounds);
  if (!contender) return std::unexpected(std::move(contender).error());
  into = std::move(*contender);
  return {};
}

/// None where inputs repeat from one evaluation to the next: what a kernel keeps could then be
/// the answers.
CompiledStore* Pair::compiled_store() const {
  return request_.seed ? nullptr : input_.compiled;
}

void Pair::keep_compiled(const Bounds& bounds) {
  for (PythonContender* const contender : {python_reference_, python_candidate_}) {
    if (contender != nullptr) contender->keep_compiled(bounds);
  }
}

/// Both models are built from the same arguments and seed; then the candidate gets the
/// reference's parameters, since equal seeds give equal weights only to equal constructors.
Attempt<void> Pair::construct_models(const Bounds& bounds) {
  Payload arguments{.tree = {SequenceNode{}}};
  PythonContender* const source = with_init_inputs();
  if (source != nullptr) {
    auto produced = source->produce(Parcel::init_inputs, weight_seed(), bounds);
    if (!produced) return blame(*source, std::move(produced).error());
    arguments = std::move(*produced);
  }
  const VaryWeights vary = both_take_state() ? input_.vary_weights : VaryWeights::none;
  for (PythonContender* const contender : {python_reference_, python_candidate_}) {
    if (contender == nullptr) continue;
    const auto initialise = [&] { return contender->initialise(arguments, vary, bounds); };
    auto built = blame_.during(whose(*contender), initialise);
    if (!built) return blame(*contender, std::move(built).error());
  }
  return copy_state(bounds);
}

bool Pair::both_take_state() const {
  return python_reference_ != nullptr && python_candidate_ != nullptr &&
         python_reference_->loaded().takes_state && python_candidate_->loaded().takes_state;
}

Attempt<void> Pair::copy_state(const Bounds& bounds) {
  if (!both_take_state()) return {};
  auto state = python_reference_->produce(Parcel::state, weight_seed(), bounds);
  if (!state) return blame_.reference(std::move(state).error());
  auto stated = python_candidate_->take_state(*state, bounds);
  if (!stated) return blame_.candidate(std::move(stated).error());
  unmatched_ = std::move(stated->unmatched);
  varied_ = python_reference_->varied();
  // What the candidate had otherwise when it was made may have been folded before it was varied.
  const auto was_late = [&](const std::string& name) {
    return std::ranges::find(stated->late, name) != stated->late.end();
  };
  std::ranges::copy_if(varied_.made, std::back_inserter(varied_.others), was_late);
  std::erase_if(varied_.made, was_late);
  return {};
}

PythonContender* Pair::with_init_inputs() const {
  for (PythonContender* const contender : {python_reference_, python_candidate_}) {
    if (contender != nullptr && contender->loaded().has_init_inputs) return contender;
  }
  return nullptr;
}

Whose Pair::whose(const Contender& contender) const {
  return &contender == reference_.get() ? Whose::reference : Whose::candidate;
}

Attempt<void> Pair::run(Contender& contender, const Bounds& bounds) {
  return blame_.during(whose(contender), [&] { return contender.run(bounds); });
}

std::unexpected<Setback> Pair::blame(const PythonContender& contender, Setback setback) {
  return &contender == python_reference_ ? blame_.reference(std::move(setback))
                                         : blame_.candidate(std::move(setback));
}

std::uint64_t Pair::weight_seed() const {
  constexpr std::size_t kWeights = 1;  // no round has number 0
  return tensor::seed_for_unseeded(input_.secret, 0, kWeights);
}

}  // namespace assay::eval
