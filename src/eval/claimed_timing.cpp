#include "eval/claimed_timing.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <expected>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "eval/answer.hpp"
#include "eval/blame.hpp"
#include "eval/busy_part.hpp"
#include "eval/clock_check.hpp"
#include "eval/contender.hpp"
#include "eval/runner.hpp"
#include "eval/taking.hpp"
#include "eval/turns.hpp"
#include "judge/probes.hpp"
#include "model/device_info.hpp"
#include "model/outcome.hpp"
#include "model/timing_mode.hpp"
#include "model/timing_summary.hpp"
#include "model/verdict.hpp"
#include "tensor/generate.hpp"
#include "timing/auto_trials.hpp"
#include "timing/batch.hpp"
#include "timing/drift_rule.hpp"
#include "timing/pair_order.hpp"
#include "timing/paired_speed.hpp"
#include "timing/progress.hpp"
#include "timing/statistics.hpp"

namespace assay::eval {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kPairs = 10;
// Warming up goes on beyond what the request says until times stand still, within this.
constexpr milliseconds kLongestSettling{300};
constexpr std::size_t kMostSettlingBatches = 30;
// Of a batch whose size is ours to choose.
constexpr milliseconds kBatchTime{3};
constexpr int kFewestSamples = 5;
constexpr int kMostSamples = 100;

// Two processes of one kernel differ for as long as they live, by where their memory lies and on
// which processor they wake up: a call of 0.9 us took 1.2 us in every batch of some.
constexpr double kOfCall = 150;       // ns
constexpr double kOfProcess = 0.005;  // of the time

// A process that stood still finds its caches cold, and those of short calls get cold with every
// command. Calls that take longer than this do not notice the one or the other.
constexpr milliseconds kNoticesPause{15};
constexpr milliseconds kNoticesCommand{2};

// To find out what a runner does beside its calls.
constexpr double kLookTime = 10e6;             // ns, of the reference's calls
constexpr double kLongestLookedBeside = 50e6;  // ns; longer calls show by themselves
constexpr int kClearLooks = 3;       // to be believed: a busy machine may hide what is hidden
constexpr int kSuspiciousLooks = 5;  // not to be believed

std::uint64_t seed_of_order(const EvaluationInput& input) {
  constexpr std::size_t kOrder = 2;  // 1 is that of weights; no round has number 0
  return tensor::seed_for_unseeded(input.secret, 0, kOrder);
}

}  // namespace

ClaimedTiming::ClaimedTiming(Parts parts)
    : parts_(std::move(parts)), request_(parts_.input.request) {
  if (Contender* const reference = parts_.pair.reference()) {
    sides_.push_back({.contender = reference, .is_reference = true});
  }
  sides_.push_back({.contender = &parts_.pair.candidate(), .is_reference = false});
}

Attempt<void> ClaimedTiming::time(Outcome& outcome, const Bounds& bounds) {
  turns_.emplace(parts_.pair);
  for (Side& side : sides_) {
    if (auto warm = warm_up(side, bounds); !warm) return warm;
  }
  if (can_be_fresh()) {
    fresh_.emplace(parts_.pair, parts_.checking, parts_.blame, parts_.clock);
  }
  if (auto timed = time_pairs(bounds); !timed) return timed;
  if (auto honest = look_beside_calls(bounds); !honest) return honest;
  turns_.reset();
  if (auto honest = check_after(bounds); !honest) return honest;
  summarize(outcome);
  return {};
}

bool ClaimedTiming::can_be_fresh() const {
  return parts_.input.device == DeviceKind::cpu && sides_.size() == 2 &&
         !parts_.checking.keeps_state();
}

/// As many runs as the request says at least, then on until they stop getting faster: memory is
/// taken, processors wake up, and Python settles.
Attempt<void> ClaimedTiming::warm_up(Side& side, const Bounds& bounds) {
  if (request_.warmup == 0) return {};
  if (auto turned = turn_to(side); !turned) return turned;
  const timing::DriftRule settled;
  ClockCheck warming;  // whose complaints nobody hears: the first runs may load and compile
  std::vector<double> figures;
  const int samples = std::max(1, request_.warmup / static_cast<int>(2 * settled.window));
  const SteadyTime begun = parts_.clock.now();
  const bool follows = in_step() && !side.is_reference;
  for (; side.warmed_up < request_.warmup || follows ||
         !settled.enough({.figures = figures, .pairs = {}});
       side.warmed_up += samples) {
    if (follows && side.warmed_up >= sides_.front().warmed_up) break;
    const bool is_late =
        parts_.clock.now() - begun > kLongestSettling || figures.size() >= kMostSettlingBatches;
    if (side.warmed_up >= request_.warmup && is_late && !follows) break;
    auto batch = take_batch(side, samples, warming, bounds);
    if (!batch) return blame(side, std::move(batch).error());
    figures.push_back(batch->figure());
  }
  side.call = std::chrono::nanoseconds(static_cast<std::int64_t>(figures.back()));
  return {};
}

Attempt<void> ClaimedTiming::time_pairs(const Bounds& bounds) {
  timing::PairOrder order(seed_of_order(parts_.input));
  while_paired_.emplace(parts_.runners, parts_.clock);
  for (std::size_t batch = 0; batch == 0 || !is_enough(); ++batch) {
    parts_.progress.say(fmt::format("batch {}", batch + 1));
    const int samples = samples_of_batch(batch);
    if (fresh_) {
      if (auto ready = fresh_->prepare(samples, bounds); !ready) return ready;
    }
    const bool reversed = sides_.size() == 2 && !order.reference_first();
    for (std::size_t turn = 0; turn < sides_.size(); ++turn) {
      Side& side = sides_[reversed ? sides_.size() - 1 - turn : turn];
      if (auto timed = time_batch(side, samples, bounds); !timed) return timed;
    }
    if (fresh_) {
      if (auto right = fresh_->compare(bounds); !right) return right;
    }
    if (in_step()) {
      if (auto right = compare_states(bounds); !right) return right;
    }
    if (sides_.size() == 2)
      pairs_ = timing::pairs_of(sides_.front().batches, sides_.back().batches);
    busy_part_ = while_paired_->value();
  }
  return {};
}

Attempt<void> ClaimedTiming::time_batch(Side& side, int samples, const Bounds& bounds) {
  if (auto turned = turn_to(side); !turned) return turned;
  auto batch =
      fresh_ ? take_fresh_batch(side, bounds) : take_batch(side, samples, side.clock, bounds);
  if (!batch) return blame(side, std::move(batch).error());
  if (in_step()) {
    auto answer = side.contender->answer(bounds);
    if (!answer) return blame(side, std::move(answer).error());
    side.last.emplace(*answer);
  }
  side.figures.push_back(batch->figure());
  side.batches.push_back(*std::move(batch));
  return {};
}

/// Who does not ask for a verdict on speed need not wait until it can be trusted.
FreshCalls::Warming ClaimedTiming::warming_of(const Side& side) const {
  if (request_.warmup == 0 || side.call > kNoticesPause) return FreshCalls::Warming::none;
  return request_.judge_speed && side.call <= kNoticesCommand
             ? FreshCalls::Warming::before_each_input
             : FreshCalls::Warming::before_batch;
}

Attempt<timing::Batch> ClaimedTiming::take_batch(Side& side, int samples, ClockCheck& check,
                                                 const Bounds& bounds) {
  Taking taking(*side.contender, parts_.clock);
  if (auto taken = taking.take(samples, bounds); !taken) {
    return std::unexpected(std::move(taken).error());
  }
  return taking.batch(check, 0, parts_.checking.last_expected().views.size());
}

Attempt<timing::Batch> ClaimedTiming::take_fresh_batch(Side& side, const Bounds& bounds) {
  Taking taking(*side.contender, parts_.clock);
  const auto take = [&](int calls) { return taking.take(calls, bounds); };
  if (auto taken = fresh_->time(*side.contender, warming_of(side), take, bounds); !taken) {
    return std::unexpected(std::move(taken).error());
  }
  std::size_t copied = 0;  // the answer, after each command
  const auto& views = parts_.checking.last_expected().views;
  for (const auto& view : views) copied += view.bytes.size();
  return taking.batch(side.clock, copied, views.size());
}

bool ClaimedTiming::in_step() const {
  // On a GPU the clock outside may have called the one more often than the other before it gave up.
  return parts_.input.device == DeviceKind::cpu && sides_.size() == 2 &&
         parts_.checking.keeps_state();
}

/// Of kernels that keep state, after as many calls of the one as of the other.
Attempt<void> ClaimedTiming::compare_states(const Bounds& bounds) {
  const Answer& expected = sides_.front().last->answer();
  if (!judge::are_finite(expected.views)) return {};  // it grew until nothing can be told
  const auto fill = [] { return Attempt<void>{}; };   // such answers have no edges
  auto wrong = parts_.checking.compare_timed(sides_.back().last->answer(), expected, fill, bounds);
  if (!wrong) return std::unexpected(std::move(wrong).error());
  if (!*wrong) return {};
  return std::unexpected(
      Fate{Tampered{.rule = "timed_runs_differ",
                    .reason = "After equally many timed calls the two kernels, which keep state, "
                              "gave different answers: " +
                              reason_of(**wrong)},
           {}});
}

Attempt<void> ClaimedTiming::turn_to(const Side& side) {
  bool of_reference = false;
  auto turned = turns_->turn_to(*side.contender, of_reference);
  if (turned) return {};
  return of_reference ? parts_.blame.reference(std::move(turned).error())
                      : parts_.blame.candidate(std::move(turned).error());
}

int ClaimedTiming::samples_of_batch(std::size_t batch) const {
  if (const auto trials = request_.num_trials) {
    const auto batches = std::min<std::size_t>(kPairs, static_cast<std::size_t>(*trials));
    return static_cast<int>((static_cast<std::size_t>(*trials) + batch) / batches);  // sums up
  }
  const auto call = std::max(sides_.front().call, std::chrono::nanoseconds(1));
  return static_cast<int>(
      std::clamp<std::int64_t>(kBatchTime / call, kFewestSamples, kMostSamples));
}

bool ClaimedTiming::is_enough() const {
  const std::vector<double>& figures = sides_.back().figures;
  if (const auto trials = request_.num_trials) {
    return figures.size() >= std::min<std::size_t>(kPairs, static_cast<std::size_t>(*trials));
  }
  timing::AutoTrials trials;
  trials.decided.rule = paired_rule();
  return trials.enough({.figures = figures, .pairs = pairs_, .elapsed = while_paired_->elapsed()});
}

Attempt<void> ClaimedTiming::look_beside_calls(const Bounds& bounds) {
  if (!fresh_) return {};
  const auto statistics_of = [](const Side& side) {
    return timing::summarize(timing::used_samples(side.batches), "").statistics;
  };
  const double call = statistics_of(sides_.front()).min;  // nobody waited for a processor
  const double claimed = statistics_of(sides_.back()).min;
  if (call > kLongestLookedBeside || !may_hide_work(call, claimed)) return {};
  const int calls = static_cast<int>(std::clamp(kLookTime / std::max(call, 1.0), 4.0, 64.0));
  int suspicious = 0;
  BesideCalls both{.reference = std::numeric_limits<double>::infinity(), .candidate = 0};
  for (int clear = 0; clear < kClearLooks;) {
    for (const Side& side : sides_) {
      auto beside = beside_calls(side, calls, bounds);
      if (!beside) return std::unexpected(std::move(beside).error());
      if (!*beside) return {};
      if (side.is_reference) {
        both.reference = std::min(both.reference, **beside);
      } else {
        both.candidate = **beside;
      }
    }
    const auto complaint = hidden_work(both, call, claimed);
    if (!complaint) {
      ++clear;
    } else if (++suspicious == kSuspiciousLooks) {
      return blame(sides_.back(), Fate{Tampered{.rule = "clock", .reason = *complaint}, {}});
    }
  }
  return {};
}

Attempt<std::optional<double>> ClaimedTiming::beside_calls(const Side& side, int calls,
                                                           const Bounds& bounds) {
  if (auto turned = turn_to(side); !turned) return std::unexpected(std::move(turned).error());
  auto beside = time_beside_calls(*side.contender, side.is_reference, calls, parts_.clock, bounds);
  if (!beside) return blame(side, std::move(beside).error());
  return *beside;
}

/// What was timed must be what was checked: the last timed run's answer is compared too, where it
/// is to the same inputs.
Attempt<void> ClaimedTiming::check_after(const Bounds& bounds) {
  for (const Side& side : sides_) {
    if (auto complaint = side.clock.complaint()) {
      return blame(side, Fate{Tampered{.rule = "clock", .reason = *complaint}, {}});
    }
  }
  if (fresh_) return {};
  auto answer = parts_.pair.candidate().answer(bounds);
  if (!answer) return parts_.blame.candidate(std::move(answer).error());
  auto wrong = parts_.checking.compare_with_last(*answer, bounds);
  if (!wrong) return std::unexpected(std::move(wrong).error());
  if (*wrong) {
    return std::unexpected(
        Fate{Tampered{.rule = "timed_runs_differ",
                      .reason = "The timed runs gave another answer than the checked ones: " +
                                reason_of(**wrong)},
             {}});
  }
  return {};
}

std::unexpected<Setback> ClaimedTiming::blame(const Side& side, Setback setback) {
  return side.is_reference ? parts_.blame.reference(std::move(setback))
                           : parts_.blame.candidate(std::move(setback));
}

TimingSummary ClaimedTiming::summary_of(const Side& side) const {
  const bool on_gpu = parts_.input.device == DeviceKind::cuda;
  // Instrumented code is slow: its time says nothing of the kernel's, and must not look so.
  const bool instrumented = !side.is_reference && request_.candidate.instrumented;
  std::string method = on_gpu ? "cuda_events" : "cpu_wall_clock";
  if (instrumented) method += "_instrumented";
  TimingSummary summary = timing::summarize(timing::used_samples(side.batches), std::move(method));
  summary.mode = on_gpu ? TimingMode::cold : TimingMode::warm;
  summary.device_time =
      CallTime{.ns = summary.statistics.median, .interval = summary.statistics.median_interval};
  if (!on_gpu) summary.host_time = summary.device_time;
  summary.trust = Trust::claimed;
  summary.trust_reason = parts_.why_claimed;
  summary.batches = timing::summaries_of(side.batches);
  return summary;
}

timing::PairedRule ClaimedTiming::paired_rule() const {
  timing::PairedRule rule{.threshold = request_.timing.threshold};
  if (parts_.input.device != DeviceKind::cpu) return rule;
  for (const Side& side : sides_) {
    const double call = timing::median_of(timing::used_samples(side.batches));
    if (call > 0) rule.doubt += kOfCall / call + kOfProcess;
  }
  // Where some process always waits for a processor, others may hold one of the two up for as long
  // as the job lasts: kernels seemed to be many times as fast as themselves.
  rule.doubt += busy_part_;
  return rule;
}

void ClaimedTiming::summarize(Outcome& outcome) const {
  outcome.candidate_timing = summary_of(sides_.back());
  if (sides_.size() == 1) return;
  outcome.reference_timing = summary_of(sides_.front());
  if (request_.candidate.instrumented) return;
  outcome.speed = timing::compare_paired(pairs_, paired_rule());
  // On a GPU, where others are timed from outside, nobody shall be better off without that.
  if (parts_.input.device == DeviceKind::cuda && !request_.judge_speed) {
    outcome.speed->verdict = SpeedVerdict::not_judged;
  }
}

}  // namespace assay::eval
