#include "eval/evaluation.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <stop_token>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/result.hpp"
#include "eval/blame.hpp"
#include "eval/checking.hpp"
#include "eval/claimed_timing.hpp"
#include "eval/gated_timing.hpp"
#include "eval/limited_runners.hpp"
#include "eval/outside_clock.hpp"
#include "eval/pair.hpp"
#include "eval/progress.hpp"
#include "eval/runner.hpp"
#include "eval/varied_weights.hpp"
#include "eval/what_ran.hpp"
#include "eval/workloads.hpp"
#include "model/device_info.hpp"
#include "model/extension.hpp"
#include "model/job.hpp"
#include "model/outcome.hpp"
#include "model/python_protocol.hpp"
#include "model/request.hpp"
#include "model/task.hpp"
#include "model/timing_mode.hpp"
#include "model/verdict.hpp"
#include "model/workload.hpp"
#include "tensor/generate.hpp"

namespace assay::eval {
namespace {

constexpr const char* kTimedInRunner =
    "The kernel's own process took this time. Assay's clock confirms it only roughly.";
constexpr const char* kPythonStarts =
    "Python imports torch and Triton, once after each start, about 10 s";
constexpr std::chrono::seconds kLongestBurial{10};  // of a process with a GPU full of memory
constexpr std::chrono::seconds kTimeToKeep{2};  // what was compiled; milliseconds, if all is well

class Evaluator {
 public:
  Evaluator(const EvaluationInput& input, RunnerSource& runners, const Clock& clock,
            EvaluationListener listener, const std::stop_token& stop)
      : input_(input),
        request_(input.request),
        runners_(runners),
        clock_(clock),
        listener_(std::move(listener)),
        bounds_{Deadline(clock, input.budget), stop},
        blame_(input.request.timeout, &runners),
        pair_(input, runners, blame_),
        progress_(listener_, clock),
        checking_(input, pair_, blame_, progress_, outcome_) {}

  Result<EvaluationEnd> run() {
    runners_.make_room({Deadline(clock_, kLongestBurial), bounds_.stop});
    if (needs_python() && runners_.python_is_starting()) {
      listener_.progress({std::string(kPythonStarts)});
    }
    auto ready = pair_.acquire_runners({Deadline(clock_, kTimeToBegin), bounds_.stop});
    if (!ready) return std::unexpected(std::move(ready).error());
    listener_.begun();
    bounds_.deadline = Deadline(clock_, input_.budget);
    auto through = can_be_timed();
    if (through) through = can_tell_what_ran(request_, input_.device);
    if (through) through = pair_.prepare(outcome_, bounds_);
    if (through && has_other_weights()) return std::move(outcome_);
    if (through) through = checking_.check(bounds_);
    if (through && input_.timed) {
      listener_.step(JobStep::checked);
      blame_.enter("timing");
      through = time();
      if (!through) through = std::unexpected(without_another_try(std::move(through).error()));
      if (through) through = weigh_what_ran(request_, outcome_);
    }
    if (through) {
      outcome_.verdict = Accepted{};
      pair_.keep_compiled({.deadline = Deadline(clock_, kTimeToKeep), .stop = bounds_.stop});
    } else {
      if (auto* error = std::get_if<Error>(&through.error())) return std::unexpected(*error);
      if (auto* needed = std::get_if<ExtensionsNeeded>(&through.error())) return std::move(*needed);
      auto& fate = std::get<Fate>(through.error());
      outcome_.verdict = std::move(fate.verdict);
      outcome_.findings = std::move(fate.findings);
    }
    return std::move(outcome_);
  }

  /// A process was ended by SIGKILL, which may have come from anywhere.
  [[nodiscard]] bool was_killed() const { return blame_.was_killed(); }
  [[nodiscard]] VariedWeights varied() const { return pair_.varied(); }
  /// Weights were varied, and the candidate has not got all of them. Then nothing was checked.
  [[nodiscard]] bool has_other_weights() const {
    return input_.vary_weights != VaryWeights::none && !pair_.unmatched().empty() &&
           !pair_.varied().empty();
  }
  [[nodiscard]] bool expects_nan() const { return checking_.expects_nan(); }
  /// Of the budget.
  [[nodiscard]] std::chrono::nanoseconds left() const { return bounds_.deadline.remaining(); }

 private:
  [[nodiscard]] bool needs_python() const {
    return is_python(request_.candidate.type) ||
           (request_.reference && is_python(request_.reference->type));
  }

  [[nodiscard]] Attempt<void> can_be_timed() const {
    const TimingMode mode = request_.timing.mode.value_or(TimingMode::warm);
    if (input_.device != DeviceKind::cpu || mode == TimingMode::warm) return {};
    return std::unexpected(Fate{Unsupported{std::string(kOnlyWarmOnCpu)}, {}});
  }

  /// From outside where there is a clock outside; else by the runners' own.
  Attempt<void> time() {
    if (input_.device != DeviceKind::cuda || request_.candidate.instrumented) {
      return time_by_claims(kTimedInRunner);
    }
    const auto outside = runners_.outside_clock();
    return outside ? time_behind_gate(**outside) : time_by_claims(outside.error().message());
  }

  Attempt<void> time_behind_gate(OutsideClock& outside) {
    GatedTiming gated({.input = input_,
                       .pair = pair_,
                       .checking = checking_,
                       .blame = blame_,
                       .progress = progress_,
                       .clock = outside,
                       .host_clock = clock_});
    auto ready = gated.prepare(bounds_);
    if (ready) return gated.time(outcome_, bounds_);
    const auto why = why_no_clock(ready.error());
    if (!why) return ready;
    // A candidate must not be able to choose the weaker clock.
    if (auto fate = blame_.candidate_took_all(*why)) return std::unexpected(*std::move(fate));
    // Its runner said so. The device's memory may run out in the candidate's turn alone because
    // both have large tensors.
    const bool by_runner = std::holds_alternative<Fate>(ready.error());
    if (by_runner && gated.only_candidate_has_none()) {
      return std::unexpected(Fate{
          Unsupported{fmt::format("The reference can be timed behind the gate, and this kernel "
                                  "cannot: {}",
                                  *why)},
          {}});
    }
    return time_by_claims(*why);
  }

  /// Nothing where it is not the clock that is lacking.
  static std::optional<std::string> why_no_clock(const Setback& setback) {
    if (const auto* fate = std::get_if<Fate>(&setback)) {
      const auto* lack = std::get_if<Unsupported>(&fate->verdict);
      return lack == nullptr ? std::nullopt : std::optional(lack->reason);
    }
    const auto* error = std::get_if<Error>(&setback);
    if (error == nullptr || error->code() != ErrorCode::resource_exhausted) return std::nullopt;
    return std::string(error->message());
  }

  Attempt<void> time_by_claims(std::string why) {
    const TimingMode mode = request_.timing.mode.value_or(TimingMode::cold);
    if (input_.device == DeviceKind::cuda && mode != TimingMode::cold) {
      return std::unexpected(
          Fate{Unsupported{
                   fmt::format("This cannot be timed in the mode '{}': {}", to_string(mode), why)},
               {}});
    }
    ClaimedTiming claimed({.input = input_,
                           .pair = pair_,
                           .checking = checking_,
                           .blame = blame_,
                           .progress = progress_,
                           .runners = runners_,
                           .clock = clock_,
                           .why_claimed = std::move(why)});
    return claimed.time(outcome_, bounds_);
  }

  /// Timed runs repeat what the checked ones did. Who asks for an extension only now would have its
  /// time taken again, as often as it likes.
  static Setback without_another_try(Setback setback) {
    const auto* needed = std::get_if<ExtensionsNeeded>(&setback);
    if (needed == nullptr) return setback;
    const Unsupported verdict{
        fmt::format("the extension '{}' is asked for only when the kernel is timed, not when it is "
                    "checked",
                    needed->calls.front().name)};
    return Fate{needed->for_reference ? as_reference_failure(verdict) : Verdict(verdict), {}};
  }

  const EvaluationInput& input_;
  const Request& request_;
  RunnerSource& runners_;
  const Clock& clock_;
  EvaluationListener listener_;
  Bounds bounds_;
  Outcome outcome_;
  Blame blame_;
  Pair pair_;
  Progress progress_;
  Checking checking_;
};

/// What is known of the weights of an evaluation.
struct Weights {
  VariedWeights varied;
  bool are_others = false;  // the candidate's; nothing was checked
  bool are_unfit = false;   // the reference has no answer over them: it failed, or gave NaN
};

bool failed_itself(const Result<EvaluationEnd>& end) {
  const auto* const outcome = end ? std::get_if<Outcome>(&*end) : nullptr;
  return outcome != nullptr && std::holds_alternative<ReferenceFailed>(outcome->verdict);
}

/// Once, or again where a runner was killed from outside, or for memory that somebody else took.
/// Takes what it needs off the budget.
Result<EvaluationEnd> evaluate_once(EvaluationInput& input, RunnerSource& runners,
                                    const Clock& clock, const EvaluationListener& listener,
                                    const std::stop_token& stop, Weights& weights) {
  LimitedRunners limited(runners);
  bool was_killed = false;
  const auto attempt = [&](const EvaluationListener& told) {
    Evaluator evaluator(input, limited, clock, told, stop);
    auto end = evaluator.run();
    input.budget = evaluator.left();
    weights = {.varied = evaluator.varied(),
               .are_others = evaluator.has_other_weights(),
               .are_unfit = failed_itself(end) || evaluator.expects_nan()};
    was_killed = evaluator.was_killed();
    return end;
  };
  auto end = attempt(listener);
  // Whoever killed the process will hardly do it twice; a kernel that kills itself will.
  if (was_killed) end = attempt({.begun = listener.begun});
  if (limited.was_mistaken()) end = attempt({.begun = listener.begun});
  return end;
}

/// Over varied weights, so far as a model has weights that any new model has: ones and zeros. If
/// the candidate has other names for them, or is wrong, then over fewer of them, and over the
/// author's own.
Result<EvaluationEnd> evaluate_weights(EvaluationInput& input, RunnerSource& runners,
                                       const Clock& clock, const EvaluationListener& listener,
                                       const std::stop_token& stop) {
  Weights first;
  input.vary_weights = VaryWeights::all;
  auto end = evaluate_once(input, runners, clock, listener, stop, first);
  const bool timed = input.timed;
  bool says_nothing = first.are_others || first.are_unfit;  // of the candidate
  for (const VaryWeights vary : {VaryWeights::norms, VaryWeights::none}) {
    const auto* const outcome = end ? std::get_if<Outcome>(&*end) : nullptr;
    if (outcome == nullptr || first.varied.empty()) break;
    if (!first.are_others && !may_come_of_weights(*outcome)) break;
    const VariedWeights ignored = ignored_beside(vary, first.varied);
    if (vary == VaryWeights::norms && (first.are_others || ignored.empty())) continue;
    const std::string why = reason_of(outcome->verdict);
    input.vary_weights = vary;
    input.timed = timed && (says_nothing || !is_refused(ignored, input.request));
    Weights weights;
    end = evaluate_once(input, runners, clock, listener, stop, weights);
    auto* const fewer = end ? std::get_if<Outcome>(&*end) : nullptr;
    const bool is_right = fewer != nullptr && std::holds_alternative<Accepted>(fewer->verdict);
    if (is_right && !says_nothing) tell_ignored_weights(ignored, why, input.request, *fewer);
    if (is_right) break;
    says_nothing = first.are_others || weights.are_unfit;
  }
  input.timed = timed;
  return end;
}

EvaluationInput over(const Request& request, std::size_t workload, const EvaluationInput& input) {
  constexpr std::size_t kWorkloads = 4;  // of what follows from the secret; no round has number 0
  const std::uint64_t secret =
      tensor::seed_for_unseeded(input.secret, static_cast<int>(workload), kWorkloads);
  return {.request = request,
          .reference = input.reference,
          .candidate = input.candidate,
          .secret = secret,
          .device = input.device,
          .budget = input.budget,
          .compiled = input.compiled,
          .timed = false};
}

}  // namespace

Result<EvaluationEnd> evaluate(const EvaluationInput& input, RunnerSource& runners,
                               const Clock& clock, const EvaluationListener& listener,
                               const std::stop_token& stop) {
  EvaluationInput left = input;
  auto end = evaluate_weights(left, runners, clock, listener, stop);
  auto* const outcome = end ? std::get_if<Outcome>(&*end) : nullptr;
  const std::vector<Workload>& workloads = input.request.workloads;
  if (outcome == nullptr || !std::holds_alternative<Accepted>(outcome->verdict)) return end;
  for (const std::size_t i : secret_order(workloads.size(), input.secret)) {
    listener.progress(
        {fmt::format("workload {} of {}", outcome->check->workloads.size() + 1, workloads.size())});
    const Request request = over_workload(input.request, workloads[i]);
    EvaluationInput other = over(request, i, left);
    auto checked = evaluate_weights(other, runners, clock, {}, stop);
    left.budget = other.budget;
    const auto* const found = checked ? std::get_if<Outcome>(&*checked) : nullptr;
    if (found == nullptr) return checked;
    add_workload(workloads[i], *found, *outcome);
    if (!std::holds_alternative<Accepted>(outcome->verdict)) break;
  }
  return end;
}

}  // namespace assay::eval
