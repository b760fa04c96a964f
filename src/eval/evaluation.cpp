#include "eval/evaluation.hpp"

#include <algorithm>
#include <chrono>
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
#include "eval/clock_check.hpp"
#include "eval/contender.hpp"
#include "eval/pair.hpp"
#include "eval/runner.hpp"
#include "model/device_info.hpp"
#include "model/extension.hpp"
#include "model/job.hpp"
#include "model/outcome.hpp"
#include "model/request.hpp"
#include "model/task.hpp"
#include "model/verdict.hpp"
#include "timing/speed.hpp"
#include "timing/statistics.hpp"

namespace assay::eval {
namespace {

constexpr int kAutoTrials = 100;
constexpr int kBatches = 10;                    // of timed runs, reference and candidate in turn
constexpr std::chrono::seconds kTimeToKeep{2};  // what was compiled; milliseconds, if all is well

class Evaluator {
 public:
  Evaluator(const EvaluationInput& input, RunnerSource& runners, const Clock& clock,
            EvaluationListener listener, const std::stop_token& stop)
      : input_(input),
        request_(input.request),
        clock_(clock),
        listener_(std::move(listener)),
        bounds_{Deadline(clock, input.budget), stop},
        blame_(input.request.timeout),
        pair_(input, runners, blame_),
        checking_(input, pair_, blame_, outcome_) {}

  Result<EvaluationEnd> run() {
    auto ready = pair_.acquire_runners({Deadline(clock_, kTimeToBegin), bounds_.stop});
    if (!ready) return std::unexpected(std::move(ready).error());
    listener_.begun();
    bounds_.deadline = Deadline(clock_, input_.budget);
    auto through = pair_.prepare(outcome_, bounds_);
    if (through) through = checking_.check(bounds_);
    if (through) {
      listener_.step(JobStep::checked);
      blame_.enter("timing");
      through = time();
      if (!through) through = std::unexpected(without_another_try(std::move(through).error()));
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
  /// Of the budget.
  [[nodiscard]] std::chrono::nanoseconds left() const { return bounds_.deadline.remaining(); }

 private:
  Attempt<void> time() {
    std::vector<double> reference_samples;
    std::vector<double> candidate_samples;
    if (request_.warmup > 0) {
      if (pair_.reference() != nullptr) {
        auto warm = pair_.reference()->time(request_.warmup, bounds_);
        if (!warm) return blame_.reference(std::move(warm).error());
      }
      auto warm = pair_.candidate().time(request_.warmup, bounds_);
      if (!warm) return blame_.candidate(std::move(warm).error());
    }
    const int trials = request_.num_trials.value_or(kAutoTrials);
    const int batches = std::min(kBatches, trials);
    for (int i = 0; i < batches; ++i) {
      const int samples = (trials + i) / batches;  // sums up to num_trials
      if (pair_.reference() != nullptr) {
        auto done = time_batch(*pair_.reference(), samples, reference_samples, reference_clock_);
        if (!done) return blame_.reference(std::move(done).error());
      }
      auto done = time_batch(pair_.candidate(), samples, candidate_samples, candidate_clock_);
      if (!done) return blame_.candidate(std::move(done).error());
    }
    if (auto honest = check_after_timing(); !honest) return honest;
    summarize(std::move(reference_samples), std::move(candidate_samples));
    return {};
  }

  Attempt<void> time_batch(Contender& contender, int samples, std::vector<double>& all,
                           ClockCheck& clock_check) {
    const SteadyTime start = clock_.now();
    const auto cpu_before = contender.cpu_time();
    auto times = contender.time(samples, bounds_);
    if (!times) return std::unexpected(std::move(times).error());
    TimedBatch batch{
        .wall = clock_.now() - start, .claimed_ns = *times, .restored = contender.restored_bytes()};
    const auto cpu_after = contender.cpu_time();
    if (cpu_before && cpu_after) batch.cpu = *cpu_after - *cpu_before;
    clock_check.add(batch);
    all.insert(all.end(), times->begin(), times->end());
    return {};
  }

  /// What was timed must be what was checked: the last timed run's answer is compared too.
  Attempt<void> check_after_timing() {
    if (auto complaint = reference_clock_.complaint()) {
      return std::unexpected(
          Fate{as_reference_failure(Tampered{.rule = "clock", .reason = *complaint}), {}});
    }
    if (auto complaint = candidate_clock_.complaint()) {
      return std::unexpected(Fate{Tampered{.rule = "clock", .reason = *complaint}, {}});
    }
    auto answer = pair_.candidate().answer(bounds_);
    if (!answer) return blame_.candidate(std::move(answer).error());
    if (auto wrong = checking_.compare_with_last(*answer)) {
      return std::unexpected(
          Fate{Tampered{.rule = "timed_runs_differ",
                        .reason = "The timed runs gave another answer than the checked ones: " +
                                  reason_of(*wrong)},
               {}});
    }
    return {};
  }

  void summarize(std::vector<double> reference, std::vector<double> candidate) {
    // Instrumented code is slow: its time says nothing of the kernel's, and must not look so.
    const std::string method = input_.device == DeviceKind::cuda ? "cuda_events" : "cpu_wall_clock";
    outcome_.candidate_timing = timing::summarize(
        std::move(candidate), request_.candidate.instrumented ? method + "_instrumented" : method);
    if (pair_.reference() == nullptr) return;
    outcome_.reference_timing = timing::summarize(std::move(reference), method);
    if (request_.candidate.instrumented) return;
    outcome_.speed = timing::compare_speed(outcome_.reference_timing->statistics,
                                           outcome_.candidate_timing->statistics);
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
  const Clock& clock_;
  EvaluationListener listener_;
  Bounds bounds_;
  Outcome outcome_;
  Blame blame_;
  Pair pair_;
  Checking checking_;
  ClockCheck reference_clock_;
  ClockCheck candidate_clock_;
};

}  // namespace

Result<EvaluationEnd> evaluate(const EvaluationInput& input, RunnerSource& runners,
                               const Clock& clock, const EvaluationListener& listener,
                               const std::stop_token& stop) {
  Evaluator first(input, runners, clock, listener, stop);
  auto outcome = first.run();
  if (!first.was_killed()) return outcome;
  // Whoever killed the process will hardly do it twice; a kernel that kills itself will.
  EvaluationInput again = input;
  again.budget = first.left();
  return Evaluator(again, runners, clock, {.begun = listener.begun}, stop).run();
}

}  // namespace assay::eval
