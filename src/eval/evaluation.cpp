#include "eval/evaluation.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/result.hpp"
#include "eval/answer.hpp"
#include "eval/clock_check.hpp"
#include "eval/compiled_store.hpp"
#include "eval/contender.hpp"
#include "eval/input_set.hpp"
#include "eval/native_contender.hpp"
#include "eval/payload.hpp"
#include "eval/python_contender.hpp"
#include "eval/runner.hpp"
#include "judge/compare.hpp"
#include "model/device_info.hpp"
#include "model/extension.hpp"
#include "model/job.hpp"
#include "model/kernel.hpp"
#include "model/outcome.hpp"
#include "model/python_protocol.hpp"
#include "model/request.hpp"
#include "model/task.hpp"
#include "model/tree.hpp"
#include "model/verdict.hpp"
#include "tensor/arena.hpp"
#include "tensor/generate.hpp"
#include "timing/speed.hpp"
#include "timing/statistics.hpp"

namespace assay::eval {
namespace {

constexpr int kBatches = 10;                    // of timed runs, reference and candidate in turn
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
        bounds_{Deadline(clock, input.budget), stop} {}

  Result<EvaluationEnd> run() {
    if (auto ready = acquire_runners(); !ready) return std::unexpected(std::move(ready).error());
    listener_.begun();
    bounds_.deadline = Deadline(clock_, input_.budget);
    auto through = check();
    if (through) {
      listener_.step(JobStep::checked);
      phase_ = "timing";
      through = time();
      if (!through) through = std::unexpected(without_another_try(std::move(through).error()));
    }
    if (through) {
      outcome_.verdict = Accepted{};
      keep_compiled();
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
  [[nodiscard]] bool was_killed() const { return was_killed_; }
  /// Of the budget.
  [[nodiscard]] std::chrono::nanoseconds left() const { return bounds_.deadline.remaining(); }

 private:
  /// Before the budget counts: a Python that is slow to start is not the submission's doing.
  Result<void> acquire_runners() {
    const Bounds patience{Deadline(clock_, kTimeToBegin), bounds_.stop};
    if (request_.reference && is_python(request_.reference->type)) {
      ASSAY_TRY(reference_runner_, runners_.fresh_python(patience));
    }
    if (is_python(request_.candidate.type)) {
      ASSAY_TRY(candidate_runner_, runners_.fresh_python(patience));
    }
    return {};
  }

  Attempt<void> check() {
    if (request_.reference) {
      auto prepared =
          prepare(*request_.reference, *input_.reference, {}, reference_, python_reference_);
      if (!prepared) return reference_setback(std::move(prepared).error());
      outcome_.reference_resources = reference_->resources();
    }
    auto prepared = prepare(
        request_.candidate, input_.candidate,
        {.sanitize = request_.sanitize, .schedule_seed = request_.schedule_seed.value_or(0)},
        candidate_, python_candidate_);
    if (!prepared) return candidate_setback(std::move(prepared).error());
    outcome_.candidate_resources = candidate_->resources();
    if (auto ready = construct_models(); !ready) return ready;

    outcome_.check = CheckSummary{.rounds_passed = 0, .rounds_total = request_.rounds};
    for (int round = 1; round <= request_.rounds; ++round) {
      if (auto passed = check_round(round); !passed) return passed;
      ++outcome_.check->rounds_passed;
    }
    return {};
  }

  /// `python` also points at the contender where it is a Python kernel.
  Attempt<void> prepare(const Kernel& kernel, const BuiltKernel& built, const RunMode& mode,
                        std::unique_ptr<Contender>& into, PythonContender*& python) {
    if (is_python(kernel.type)) {
      const bool is_reference = &python == &python_reference_;
      auto contender = PythonContender::prepare(
          {.kernel = &kernel,
           .is_reference = is_reference,
           .seed = weight_seed(),
           .device = input_.device,
           .sanitize = mode.sanitize,
           .schedule_seed = mode.schedule_seed},
          built, std::move(is_reference ? reference_runner_ : candidate_runner_), runners_,
          compiled_store(), bounds_);
      if (!contender) return std::unexpected(std::move(contender).error());
      python = contender->get();
      (is_reference ? outcome_.provenance.reference_triton_cache_hit
                    : outcome_.provenance.candidate_triton_cache_hit) = python->compiled_before();
      into = std::move(*contender);
      return {};
    }
    if (!kernel.io) {
      return std::unexpected(Fate{Unsupported{"the kernel has no io contract"}, {}});
    }
    auto contender = NativeContender::prepare(*kernel.io, built, mode, runners_, bounds_);
    if (!contender) return std::unexpected(std::move(contender).error());
    into = std::move(*contender);
    return {};
  }

  /// None where inputs repeat from one evaluation to the next: what a kernel keeps could then be
  /// the answers.
  [[nodiscard]] CompiledStore* compiled_store() const {
    return request_.seed ? nullptr : input_.compiled;
  }

  /// The verdict stands: whatever goes wrong here costs the next evaluation a compilation.
  void keep_compiled() {
    for (PythonContender* const contender : {python_reference_, python_candidate_}) {
      if (contender == nullptr) continue;
      contender->keep_compiled({.deadline = Deadline(clock_, kTimeToKeep), .stop = bounds_.stop});
    }
  }

  /// Both models are built from the same arguments and seed; then the candidate gets the
  /// reference's parameters, since equal seeds give equal weights only to equal constructors.
  Attempt<void> construct_models() {
    Payload arguments{.tree = {SequenceNode{}}};
    PythonContender* const source = with_init_inputs();
    if (source != nullptr) {
      auto produced = source->produce(Parcel::init_inputs, weight_seed(), bounds_);
      if (!produced) return blame(*source, std::move(produced).error());
      arguments = std::move(*produced);
    }
    for (PythonContender* const contender : {python_reference_, python_candidate_}) {
      if (contender == nullptr) continue;
      if (auto built = contender->initialise(arguments, bounds_); !built) {
        return blame(*contender, std::move(built).error());
      }
    }
    if (python_reference_ == nullptr || python_candidate_ == nullptr) return {};
    if (!python_reference_->loaded().takes_state || !python_candidate_->loaded().takes_state) {
      return {};
    }
    auto state = python_reference_->produce(Parcel::state, weight_seed(), bounds_);
    if (!state) return reference_setback(std::move(state).error());
    auto unmatched = python_candidate_->take_state(*state, bounds_);
    if (!unmatched) return candidate_setback(std::move(unmatched).error());
    unmatched_ = std::move(*unmatched);
    return {};
  }

  [[nodiscard]] PythonContender* with_init_inputs() const {
    for (PythonContender* const contender : {python_reference_, python_candidate_}) {
      if (contender != nullptr && contender->loaded().has_init_inputs) return contender;
    }
    return nullptr;
  }

  std::unexpected<Setback> blame(const PythonContender& contender, Setback setback) {
    return &contender == python_reference_ ? reference_setback(std::move(setback))
                                           : candidate_setback(std::move(setback));
  }

  Attempt<void> check_round(int round) {
    inputs_.emplace();
    if (auto made = make_inputs(round); !made) return made;
    if (reference_) {
      if (auto ran = run_reference(round); !ran) return reference_setback(std::move(ran).error());
      auto answer = reference_->answer(bounds_);
      if (!answer) return reference_setback(std::move(answer).error());
      expected_.emplace(*answer);
      if (python_reference_ != nullptr && input_maker() == python_reference_ &&
          round < request_.rounds) {
        python_reference_->produce_ahead(Parcel::inputs, seed_of_inputs(round + 1), bounds_);
      }
    }
    if (auto ran = run_candidate(round); !ran) return ran;
    auto answer = candidate_->answer(bounds_);
    if (!answer) return candidate_setback(std::move(answer).error());
    if (!reference_) {  // what it gave first is what it must give again
      if (auto empty = judge::nothing_to_compare(answer->views, round)) {
        return std::unexpected(Fate{std::move(*empty), {}});
      }
      expected_.emplace(*answer);
    } else if (auto wrong = compare(*answer, round)) {
      return std::unexpected(Fate{explained(std::move(*wrong)), {}});
    }
    return round == 1 ? check_repeats(round) : Attempt<void>{};
  }

  /// Whose get_inputs gives the inputs, where one does. A candidate makes its own only where it
  /// stands alone: it must not choose what it is judged by.
  [[nodiscard]] PythonContender* input_maker() const {
    for (PythonContender* const contender : {python_reference_, python_candidate_}) {
      if (!lacks_contract(contender) || !contender->loaded().has_inputs) continue;
      return contender == python_candidate_ && request_.reference ? nullptr : contender;
    }
    return nullptr;
  }

  static bool lacks_contract(const PythonContender* contender) {
    return contender != nullptr && !contender->has_contract();
  }

  [[nodiscard]] std::uint64_t seed_of_inputs(int round) const {
    return tensor::seed_for_unseeded(input_.secret, round, 0);
  }

  /// Kernels without a contract are called with what the reference's get_inputs gives, or with what
  /// the other one's contract says.
  Attempt<void> make_inputs(int round) {
    given_.reset();
    if (!lacks_contract(python_reference_) && !lacks_contract(python_candidate_)) return {};
    if (PythonContender* const maker = input_maker()) {
      auto payload = maker->produce(Parcel::inputs, seed_of_inputs(round), bounds_);
      if (!payload) return blame(*maker, std::move(payload).error());
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
                           "the reference, or give an io contract"},
             {}});
  }

  /// `run` counts the runs of a round that are held against each other. What a kernel leaves
  /// unwritten then differs from one to the next, whatever number it is taken for.
  [[nodiscard]] RoundInputs inputs_of(int round, std::size_t run) {
    return {.generated = *inputs_,
            .secret = input_.secret,
            .round = round,
            .blank = tensor::kPoisons[run],
            .given = given_ ? &*given_ : nullptr};
  }

  /// A reference that works in place shows that inputs may change: then they may for both.
  Attempt<void> run_reference(int round) {
    if (auto filled = reference_->fill(inputs_of(round, 0), bounds_); !filled) return filled;
    auto ran = reference_->run(bounds_);
    if (ran || python_reference_ == nullptr || !given_ || !changed_inputs(ran.error())) return ran;
    for (PythonContender* const contender : {python_reference_, python_candidate_}) {
      if (contender != nullptr) contender->allow_input_changes();
    }
    if (auto filled = reference_->fill(inputs_of(round, 0), bounds_); !filled) return filled;
    return reference_->run(bounds_);
  }

  static bool changed_inputs(const Setback& setback) {
    const auto* fate = std::get_if<Fate>(&setback);
    const auto* tampered = fate == nullptr ? nullptr : std::get_if<Tampered>(&fate->verdict);
    return tampered != nullptr && tampered->rule == kInputModified;
  }

  Attempt<void> run_candidate(int round, bool again = false) {
    const std::size_t run = (reference_ ? 1U : 0U) + (again ? 1U : 0U);
    auto ran = candidate_->fill(inputs_of(round, run), bounds_);
    if (ran) ran = candidate_->run(bounds_);
    if (!ran) return candidate_setback(std::move(ran).error());
    return {};
  }

  /// The same inputs again must give the same answer, within the tolerance.
  Attempt<void> check_repeats(int round) {
    if (auto ran = run_candidate(round, true); !ran) return ran;
    auto answer = candidate_->answer(bounds_);
    if (!answer) return candidate_setback(std::move(answer).error());
    auto wrong = compare(*answer, round);
    if (!wrong) return {};
    if (wrong->mismatches > 0 && differences_.unwritten == differences_.mismatches) {
      return std::unexpected(Fate{explained(std::move(*wrong)), {}});  // no answer, not another one
    }
    return std::unexpected(Fate{
        NonDeterministic{
            .reason = "A second run over the same inputs gave another answer: " + wrong->reason,
            .first = std::move(wrong->first)},
        {}});
  }

  std::optional<WrongAnswer> compare(const Answer& answer, int round) {
    if (answer.structure != expected_->answer().structure) {
      return WrongAnswer{.reason = fmt::format("Structure mismatch: ref={}, custom={}",
                                               expected_->answer().structure, answer.structure),
                         .round = round};
    }
    Tolerance tolerance = request_.tolerance;
    tolerance.equal_nan = !reference_;
    auto wrong = judge::compare_outputs(answer.views, expected_->answer().views, tolerance, round,
                                        differences_);
    outcome_.check->max_difference = differences_.max;
    outcome_.check->mean_difference = differences_.mean();
    return wrong;
  }

  /// Weights that differ explain a wrong answer better than its elements do.
  [[nodiscard]] WrongAnswer explained(WrongAnswer wrong) const {
    if (!unmatched_.empty()) {
      wrong.reason += fmt::format(
          ". The candidate's weights are not all the reference's; without a match by name and "
          "shape: {}",
          fmt::join(unmatched_, ", "));
    }
    return wrong;
  }

  [[nodiscard]] std::uint64_t weight_seed() const {
    constexpr std::size_t kWeights = 1;  // no round has number 0
    return tensor::seed_for_unseeded(input_.secret, 0, kWeights);
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
    auto answer = candidate_->answer(bounds_);
    if (!answer) return candidate_setback(std::move(answer).error());
    if (auto wrong = compare(*answer, request_.rounds)) {
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
    if (!reference_) return;
    outcome_.reference_timing = timing::summarize(std::move(reference), method);
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
    if (auto* needed = std::get_if<ExtensionsNeeded>(&mine.error())) needed->for_reference = true;
    return mine;
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

  [[nodiscard]] TimedOut timed_out() const { return {.limit = request_.timeout, .phase = phase_}; }

  const EvaluationInput& input_;
  const Request& request_;
  RunnerSource& runners_;
  const Clock& clock_;
  EvaluationListener listener_;
  Bounds bounds_;

  std::string phase_ = "checking";
  std::optional<InputSet> inputs_;  // of the current round; the contenders look into it
  std::optional<Payload> given_;    // the same where a kernel's own get_inputs made them
  std::unique_ptr<PythonRunner> reference_runner_;  // until a contender takes them
  std::unique_ptr<PythonRunner> candidate_runner_;
  std::unique_ptr<Contender> reference_;
  std::unique_ptr<Contender> candidate_;
  PythonContender* python_reference_ = nullptr;  // the same objects, where they are Python
  PythonContender* python_candidate_ = nullptr;
  std::vector<std::string> unmatched_;  // parameters of the candidate that are its own
  std::optional<KeptAnswer> expected_;
  judge::Differences differences_;
  ClockCheck reference_clock_;
  ClockCheck candidate_clock_;
  bool was_killed_ = false;
  Outcome outcome_;
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
