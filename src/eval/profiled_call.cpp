#include "eval/profiled_call.hpp"

#include <expected>
#include <optional>
#include <utility>
#include <variant>

#include "eval/blame.hpp"
#include "eval/checking.hpp"
#include "eval/contender.hpp"
#include "eval/evaluation.hpp"
#include "eval/pair.hpp"
#include "eval/progress.hpp"
#include "eval/runner.hpp"
#include "model/outcome.hpp"
#include "model/request.hpp"
#include "model/runner_protocol.hpp"
#include "model/verdict.hpp"

namespace assay::eval {
namespace {

/// What is profiled stands as the candidate. The reference needs nobody beside it.
Request request_for(const ProfiledCall& call) {
  Request request = call.input.request;
  request.rounds = 1;
  if (call.side == Side::custom) return request;
  request.candidate = *std::exchange(request.reference, std::nullopt);
  return request;
}

/// The call was made, whatever it answered.
bool has_answered(const Setback& setback) {
  const auto* fate = std::get_if<Fate>(&setback);
  return fate != nullptr && (std::holds_alternative<WrongAnswer>(fate->verdict) ||
                             std::holds_alternative<NonDeterministic>(fate->verdict));
}

/// Gives `use` the kernel, ready and warm.
template <class T, class Use>
Attempt<T> with_warm_kernel(const ProfiledCall& call, RunnerSource& runners, RunnerSource& profiled,
                            const Bounds& bounds, Use use) {
  const Request request = request_for(call);
  const bool is_original = call.side == Side::original;
  const EvaluationInput input{
      .request = request,
      .reference = is_original ? std::nullopt : call.input.reference,
      .candidate = is_original ? *call.input.reference : call.input.candidate,
      .secret = call.input.secret,
      .device = call.input.device,
      .budget = call.input.budget,
      .compiled = call.input.compiled};
  Outcome unused;
  Blame blame(request.timeout);
  Pair pair(input, runners, profiled, blame);
  if (auto ready = pair.acquire_runners(bounds); !ready) {
    return std::unexpected(std::move(ready).error());
  }
  if (auto prepared = pair.prepare(unused, bounds); !prepared) {
    return std::unexpected(std::move(prepared).error());
  }
  Progress silent;
  Checking checking(input, pair, blame, silent, unused);
  if (auto warmed = checking.check(bounds); !warmed && !has_answered(warmed.error())) {
    return std::unexpected(std::move(warmed).error());
  }
  return use(pair.candidate());
}

}  // namespace

Attempt<void> make_profiled_call(const ProfiledCall& call, RunnerSource& runners,
                                 RunnerSource& profiled, const Bounds& bounds) {
  return with_warm_kernel<void>(call, runners, profiled, bounds, [&](Contender& kernel) {
    if (call.range.empty()) return Attempt<void>{};
    return kernel.profile({.range = call.range}, bounds);
  });
}

Attempt<Counted> make_counted_call(const ProfiledCall& call, const CountCommand& command,
                                   RunnerSource& runners, RunnerSource& counted,
                                   const Bounds& bounds) {
  return with_warm_kernel<Counted>(call, runners, counted, bounds, [&](Contender& kernel) {
    return kernel.count(command, bounds);
  });
}

}  // namespace assay::eval
