#include "eval/evaluation.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/result.hpp"
#include "eval/clock_check.hpp"
#include "eval/contender.hpp"
#include "eval/input_set.hpp"
#include "eval/runner.hpp"
#include "judge/compare.hpp"
#include "model/io_contract.hpp"
#include "model/job.hpp"
#include "model/outcome.hpp"
#include "model/request.hpp"
#include "model/verdict.hpp"
#include "timing/speed.hpp"
#include "timing/statistics.hpp"

namespace assay::eval {
namespace {

constexpr int kBatches = 10;  // of timed runs, reference and candidate in turn

/// The expected outputs: copies the candidate's process can never reach.
class Expected {
 public:
  explicit Expected(const std::vector<judge::OutputView>& views) : views_(views) {
    for (judge::OutputView& view : views_) {
      copies_.emplace_back(view.bytes.begin(), view.bytes.end());
      view.bytes = copies_.back();
    }
  }
  [[nodiscard]] const std::vector<judge::OutputView>& views() const { return views_; }

 private:
  std::vector<judge::OutputView> views_;
  std::vector<std::vector<std::byte>> copies_;
};

class Evaluator {
 public:
  Evaluator(const EvaluationInput& input, RunnerSource& runners, const Clock& clock,
            std::function<void(JobStep)> on_step, const std::stop_token& stop)
      : input_(input),
        request_(input.request),
        runners_(runners),
        clock_(clock),
        on_step_(std::move(on_step)),
        bounds_{Deadline(clock, input.budget), stop} {}

  Result<Outcome> run() {
    auto through = check();
    if (through) {
      on_step_(JobStep::checked);
      phase_ = "timing";
      through = time();
    }
    if (through) outcome_.verdict = Accepted{};
    if (!through) {
      if (auto* error = std::get_if<Error>(&through.error())) return std::unexpected(*error);
      auto& fate = std::get<Fate>(through.error());
      outcome_.verdict = std::move(fate.verdict);
      outcome_.findings = std::move(fate.findings);
    }
    return std::move(outcome_);
  }

  /// A process was ended by SIGKILL, which may have come from anywhere.
  [[nodiscard]] bool was_killed() const { return was_killed_; }

 private:
  Attempt<void> check() {
    if (request_.reference) {
      auto reference = prepare(*request_.reference, *input_.reference, {});
      if (!reference) return reference_setback(std::move(reference).error());
      reference_ = std::move(*reference);
    }
    auto candidate = prepare(
        request_.candidate, input_.candidate,
        {.sanitize = request_.sanitize, .schedule_seed = request_.schedule_seed.value_or(0)});
    if (!candidate) return candidate_setback(std::move(candidate).error());
    candidate_ = std::move(*candidate);

    outcome_.check = CheckSummary{.rounds_passed = 0, .rounds_total = request_.rounds};
    for (int round = 1; round <= request_.rounds; ++round) {
      if (auto passed = check_round(round); !passed) return passed;
      ++outcome_.check->rounds_passed;
    }
    return {};
  }

  Attempt<Contender> prepare(const Kernel& kernel, const BuiltKernel& built, const RunMode& mode) {
    if (!kernel.io) {
      return std::unexpected(Fate{Unsupported{"the kernel has no io contract"}, {}});
    }
    return Contender::prepare(*kernel.io, built, mode, runners_, bounds_);
  }

  Attempt<void> check_round(int round) {
    inputs_.emplace();
    if (reference_) {
      reference_->fill(*inputs_, input_.secret, round);
      if (auto ran = reference_->run(bounds_); !ran)
        return reference_setback(std::move(ran).error());
      expected_.emplace(reference_->outputs());
    }
    if (auto ran = run_candidate(round); !ran) return ran;
    if (!reference_) {  // what it gave first is what it must give again
      expected_.emplace(candidate_->outputs());
    } else if (auto wrong = compare(round)) {
      return std::unexpected(Fate{std::move(*wrong), {}});
    }
    return round == 1 ? check_repeats(round) : Attempt<void>{};
  }

  Attempt<void> run_candidate(int round) {
    candidate_->fill(*inputs_, input_.secret, round);
    if (auto ran = candidate_->run(bounds_); !ran) return candidate_setback(std::move(ran).error());
    return {};
  }

  /// The same inputs again must give the same answer, within the tolerance.
  Attempt<void> check_repeats(int round) {
    if (auto ran = run_candidate(round); !ran) return ran;
    auto wrong = compare(round);
    if (!wrong) return {};
    return std::unexpected(Fate{
        NonDeterministic{
            .reason = "A second run over the same inputs gave another answer: " + wrong->reason,
            .first = std::move(wrong->first)},
        {}});
  }

  std::optional<WrongAnswer> compare(int round) {
    Tolerance tolerance = request_.tolerance;
    tolerance.equal_nan = !reference_;
    auto wrong = judge::compare_outputs(candidate_->outputs(), expected_->views(), tolerance, round,
                                        differences_);
    outcome_.check->max_difference = differences_.max;
    outcome_.check->mean_difference = differences_.mean();
    return wrong;
  }

  Attempt<void> time() {
    std::vector<double> reference_samples;
    std::vector<double> candidate_samples;
    if (request_.warmup > 0) {
      if (reference_) {
        auto warm = reference_->time(request_.warmup, bounds_);
        if (!warm) return reference_setback(std::move(warm).error());
      }
      auto warm = candidate_->time(request_.warmup, bounds_);
      if (!warm) return candidate_setback(std::move(warm).error());
    }
    const int batches = std::min(kBatches, request_.num_trials);
    for (int i = 0; i < batches; ++i) {
      const int samples = (request_.num_trials + i) / batches;  // sums up to num_trials
      if (reference_) {
        auto done = time_batch(*reference_, samples, reference_samples, reference_clock_);
        if (!done) return reference_setback(std::move(done).error());
      }
      auto done = time_batch(*candidate_, samples, candidate_samples, candidate_clock_);
      if (!done) return candidate_setback(std::move(done).error());
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
    if (auto wrong = compare(request_.rounds)) {
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
    const char* method =
        request_.candidate.instrumented ? "cpu_wall_clock_instrumented" : "cpu_wall_clock";
    outcome_.candidate_timing = timing::summarize(std::move(candidate), method);
    if (!reference_) return;
    outcome_.reference_timing = timing::summarize(std::move(reference), "cpu_wall_clock");
    if (request_.candidate.instrumented) return;
    outcome_.speed = timing::compare_speed(outcome_.reference_timing->statistics,
                                           outcome_.candidate_timing->statistics);
  }

  std::unexpected<Setback> candidate_setback(Setback setback) {
    if (const auto* fate = std::get_if<Fate>(&setback)) {
      const auto* crashed = std::get_if<Crashed>(&fate->verdict);
      was_killed_ = crashed != nullptr && crashed->signal == SIGKILL;
    }
    if (auto* error = std::get_if<Error>(&setback);
        error != nullptr && error->code() == ErrorCode::deadline_exceeded) {
      return std::unexpected(Setback(Fate{timed_out(), {}}));
    }
    return std::unexpected(std::move(setback));
  }

  std::unexpected<Setback> reference_setback(Setback setback) {
    auto mine = candidate_setback(std::move(setback));
    if (auto* fate = std::get_if<Fate>(&mine.error())) {
      fate->verdict = as_reference_failure(fate->verdict);
    }
    return mine;
  }

  [[nodiscard]] TimedOut timed_out() const { return {.limit = request_.timeout, .phase = phase_}; }

  const EvaluationInput& input_;
  const Request& request_;
  RunnerSource& runners_;
  const Clock& clock_;
  std::function<void(JobStep)> on_step_;
  Bounds bounds_;

  std::string phase_ = "checking";
  std::optional<InputSet> inputs_;  // of the current round; the contenders look into it
  std::optional<Contender> reference_;
  std::optional<Contender> candidate_;
  std::optional<Expected> expected_;
  judge::Differences differences_;
  ClockCheck reference_clock_;
  ClockCheck candidate_clock_;
  bool was_killed_ = false;
  Outcome outcome_;
};

}  // namespace

Result<Outcome> evaluate(const EvaluationInput& input, RunnerSource& runners, const Clock& clock,
                         const std::function<void(JobStep)>& on_step, const std::stop_token& stop) {
  const Deadline deadline(clock, input.budget);
  Evaluator first(input, runners, clock, on_step, stop);
  auto outcome = first.run();
  if (!first.was_killed()) return outcome;
  // Whoever killed the process will hardly do it twice; a kernel that kills itself will.
  EvaluationInput again = input;
  again.budget = deadline.remaining();
  return Evaluator(again, runners, clock, [](JobStep) {}, stop).run();
}

}  // namespace assay::eval
