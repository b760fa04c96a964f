#include "eval/gated_timing.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include "base/error.hpp"
#include "eval/answer.hpp"
#include "eval/checking.hpp"
#include "eval/outside_clock.hpp"
#include "eval/runner.hpp"
#include "eval/timed_contender.hpp"
#include "eval/turns.hpp"
#include "gate/scene_check.hpp"
#include "judge/compare.hpp"
#include "model/device_state.hpp"
#include "model/dtype.hpp"
#include "model/timing_mode.hpp"
#include "model/timing_summary.hpp"
#include "model/verdict.hpp"
#include "tensor/arena.hpp"
#include "timing/auto_trials.hpp"
#include "timing/batch.hpp"
#include "timing/count_rule.hpp"
#include "timing/outside_time.hpp"
#include "timing/pair_order.hpp"
#include "timing/paired_speed.hpp"
#include "timing/statistics.hpp"
#include "timing/usable.hpp"

namespace assay::eval {
namespace {

constexpr std::size_t kTurns = 4;  // in which rounds come; see timing/turns.hpp
constexpr int kBatches = 3 * kTurns;
constexpr int kCallsInBatch = 10;  // where the request leaves the number of trials to us
constexpr std::uint32_t kHostCalls = 5;
constexpr int kVerifiedCalls = 5;
constexpr int kVerifiedLargeCalls = 1;                           // of tensors past the next limit
constexpr std::size_t kLargeBytes = std::size_t{64} << 20U;      // of inputs
constexpr std::size_t kTooLargeToTry = std::size_t{512} << 20U;  // bytes of inputs
constexpr std::chrono::seconds kLongestBusy{2};
constexpr std::chrono::milliseconds kBetweenLooks{1};
constexpr int kLooks = 4;  // from outside, of two long rounds each
constexpr int kMostLooks = 24;
// By how much the time outside may lie above the runner's: it has the gap between two launches, and
// what the scene takes is measured in another process. On an H200 by 0 to 2 us and 0 to 4 %.
constexpr double kClockSlack = 4000;  // ns
constexpr double kClockSlackPart = 0.1;
constexpr double kMadeUpBelow = 0.5;  // of the time outside
constexpr double kMadeUpBy = 10e3;    // ns
// A process's launches take up to 0.3 us longer than another's, and no more than a part of its time
// may be put down to that: the numbers are the runner's.
constexpr double kMostLaunchExcess = 500;  // ns, of one launch
constexpr double kMostExcessPart = 0.1;
constexpr double kFastestLaunch = 1500;  // ns, by the GPU
constexpr int kTracedCalls = 5;
constexpr double kImpossibleBelow = 0.9;  // of what its answers take to reach the memory

std::uint64_t fingerprint_of(const Answer& answer, std::uint64_t key) {
  std::uint64_t sum = 0;
  std::uint64_t place = 0;
  for (const judge::OutputView& view : tensors_of_answer(answer)) {
    const std::size_t element = size_of(view.dtype);
    sum += gate::fingerprint(view.bytes, element, key, place);
    place += view.bytes.size() / element;
  }
  return sum;
}

/// Of large answers, whether the first elements are.
bool is_finite(const Answer& answer) {
  constexpr std::size_t kMost = std::size_t{1} << 20U;
  return std::ranges::all_of(tensors_of_answer(answer), [](const judge::OutputView& view) {
    const std::size_t element = size_of(view.dtype);
    return !is_floating(view.dtype) ||
           gate::all_finite(gate::variation_of(view.dtype),
                            view.bytes.first(std::min(view.bytes.size(), kMost * element)));
  });
}

std::size_t launches_of(const Traced& traced) {
  std::size_t launches = 0;
  for (const KernelShare& kernel : traced.time.kernels) launches += kernel.launches;
  return launches;
}

std::unexpected<Setback> tampered(std::string rule, std::string reason) {
  return std::unexpected(
      Setback(Fate{Tampered{.rule = std::move(rule), .reason = std::move(reason)}, {}}));
}

}  // namespace

std::unexpected<Setback> GatedTiming::blame(const Side& side, Setback setback) {
  return &side == &candidate_ ? parts_.blame.candidate(std::move(setback))
                              : parts_.blame.reference(std::move(setback));
}

Attempt<void> GatedTiming::prepare(const Bounds& bounds) {
  auto strong = bears_strong_variation(bounds);
  if (!strong) return std::unexpected(std::move(strong).error());
  gentle_ = !*strong;
  if (Contender* const reference = parts_.pair.reference()) {
    if (auto ready = seat(*reference, reference_.emplace(), bounds); !ready) return ready;
  }
  return seat(parts_.pair.candidate(), candidate_, bounds);
}

/// Whether the reference still has an answer over inputs that are varied strongly. Large inputs are
/// not tried, which would take seconds: they vary gently. Some inputs bear
/// no change: a matrix that must be positive definite. Where it has one, the candidate's must
/// agree.
Attempt<bool> GatedTiming::bears_strong_variation(const Bounds& bounds) {
  Contender& candidate = parts_.pair.candidate();
  Contender* const reference = parts_.pair.reference();
  const auto contents = candidate.contents();
  std::size_t size = 0;
  for (const auto& content : contents) size += content.size();
  if (size > kTooLargeToTry) return false;
  std::vector<std::span<const std::byte>> own;
  if (reference != nullptr) own = reference->contents();
  std::vector<std::vector<std::byte>> storage;
  const std::uint64_t seed = parts_.input.secret;
  const auto varied =
      varied_contents(candidate.scene(), contents, {.early = seed, .late = ~seed}, storage);
  auto judged = parts_.checking.judge_over(varied, bounds);
  const bool answered = judged.has_value() && is_finite(judged->candidate);
  if (answered && judged->wrong) {
    judged->wrong->reason +=
        ". This was over the request's inputs with a quarter of their elements "
        "halved";
    return std::unexpected(Setback(Fate{*std::move(judged->wrong), {}}));
  }
  auto restored = candidate.refill(contents, tensor::Poison{});
  if (restored && reference != nullptr) restored = reference->refill(own, tensor::Poison{});
  if (!restored) return std::unexpected(std::move(restored).error());
  return answered;
}

Attempt<void> GatedTiming::seat(Contender& contender, Side& side, const Bounds& bounds) {
  auto timed = TimedContender::create(
      contender, parts_.clock, {.gentle = gentle_, .sweeps = mode() == TimingMode::cold}, bounds);
  if (!timed) return std::unexpected(std::move(timed).error());
  side.timed = *std::move(timed);
  return {};
}

Attempt<void> GatedTiming::time(Outcome& outcome, const Bounds& bounds) {
  std::vector<Side*> sides{&candidate_};
  if (reference_) sides.insert(sides.begin(), &*reference_);
  for (Side* const side : sides) {
    if (auto settled = side->timed->settle(request_.warmup, bounds); !settled) {
      return blame(*side, std::move(settled).error());
    }
  }
  if (auto measured = measure_scenes(); !measured) return measured;
  if (auto taken = take_batches(bounds); !taken) return taken;
  for (Side* const side : sides) {
    if (auto agreed = compare_clocks(*side, bounds); !agreed) {
      return blame(*side, std::move(agreed).error());
    }
  }
  if (auto honest = verify(bounds); !honest) return honest;
  for (Side* const side : sides) {
    if (auto taken = take_other_times(*side, bounds); !taken) {
      return blame(*side, std::move(taken).error());
    }
    take_off_launch_excess(*side);
    if (auto possible = refuse_the_impossible(*side); !possible) {
      return blame(*side, std::move(possible).error());
    }
  }
  summarize(outcome);
  return {};
}

Attempt<void> GatedTiming::take_batches(const Bounds& bounds) {
  Turns turns(parts_.pair);
  timing::PairOrder order(parts_.input.secret);
  const SteadyTime start = parts_.host_clock.now();
  for (int done = 0; !is_enough(done, parts_.host_clock.now() - start); ++done) {
    const bool candidate_first = !reference_ || !order.reference_first();
    for (const bool first : {true, false}) {
      const bool is_candidate = first == candidate_first;
      if (!is_candidate && !reference_) continue;
      Side& side = is_candidate ? candidate_ : *reference_;
      bool of_reference = false;
      if (auto turned = turns.turn_to(side.timed->contender(), of_reference); !turned) {
        return blame(of_reference ? *reference_ : candidate_, std::move(turned).error());
      }
      if (auto idle = await_idle(bounds); !idle) return idle;
      if (auto taken = take_batch(side, calls_in_batch(done), bounds); !taken) {
        return blame(side, std::move(taken).error());
      }
    }
  }
  timing::use_all_if_most_are_marked(candidate_.batches);
  if (reference_) timing::use_all_if_most_are_marked(reference_->batches);
  return {};
}

int GatedTiming::calls_in_batch(int batch) const {
  if (!request_.num_trials) return kCallsInBatch;
  const int batches = std::min(kBatches, *request_.num_trials);
  return (*request_.num_trials + batch) / batches;  // sums up to num_trials
}

bool GatedTiming::is_enough(int batches, std::chrono::nanoseconds elapsed) const {
  if (request_.num_trials) return batches >= std::min(kBatches, *request_.num_trials);
  std::vector<double> figures = timing::used_samples(candidate_.batches);
  std::vector<timing::Pair> pairs;
  if (reference_) pairs = timing::pairs_of(reference_->batches, candidate_.batches);
  timing::AutoTrials rule;
  rule.fewest = timing::CountRule{kBatches};
  rule.decided.rule = paired_rule();
  return rule.enough({.figures = figures, .pairs = pairs, .elapsed = elapsed});
}

TimingMode GatedTiming::mode() const {
  return request_.timing.mode.value_or(TimingMode::cold);
}

timing::PairedRule GatedTiming::paired_rule() const {
  timing::PairedRule rule{.threshold = request_.timing.threshold, .turns = kTurns};
  if (!reference_) return rule;
  rule.doubt = doubt_of(*reference_) + doubt_of(candidate_);
  return rule;
}

/// What is left between processes of one kernel when the excess of their launches is taken off. On
/// an H200 fresh processes differ by 0.06 us and 0.024 us a launch (standard deviations).
double GatedTiming::doubt_of(const Side& side) {
  constexpr double kOfCall = 90;  // ns
  constexpr double kOfLaunch = 40;
  const double time = timing::median_of(timing::used_samples(side.batches));
  if (time <= 0) return 0;
  double launches = time / kFastestLaunch;  // the most there can be, before they are counted
  if (!side.traced.time.kernels.empty()) launches = static_cast<double>(launches_of(side.traced));
  return (kOfCall + kOfLaunch * launches) / time;
}

/// Equal scenes have one cost, so that its error cannot make two kernels differ.
Attempt<void> GatedTiming::measure_scenes() {
  auto cost = candidate_.timed->seat().scene_ns(candidate_.timed->outputs());
  if (!cost) return std::unexpected(std::move(cost).error());
  candidate_.scene_ns = *cost;
  if (!reference_) return {};
  const ArmCommand& one = candidate_.timed->seat().command();
  const ArmCommand& other = reference_->timed->seat().command();
  const auto same_input = [](const ArmedInput& a, const ArmedInput& b) {
    return a.size == b.size && a.how == b.how;
  };
  const auto same_blank = [](const ArenaPoison& a, const ArenaPoison& b) {
    return a.size == b.size;
  };
  if (std::ranges::equal(one.inputs, other.inputs, same_input) &&
      std::ranges::equal(one.blanks, other.blanks, same_blank) &&
      candidate_.timed->outputs() == reference_->timed->outputs()) {
    reference_->scene_ns = candidate_.scene_ns;
    return {};
  }
  auto others = reference_->timed->seat().scene_ns(reference_->timed->outputs());
  if (!others) return std::unexpected(std::move(others).error());
  reference_->scene_ns = *others;
  return {};
}

/// Neither may be timed while the other, or what it left behind, uses the GPU.
Attempt<void> GatedTiming::await_idle(const Bounds& bounds) {
  const SteadyTime start = parts_.host_clock.now();
  while (!parts_.clock.device_is_idle()) {
    if (bounds.stop.stop_requested() || bounds.deadline.expired()) break;
    if (parts_.host_clock.now() - start > kLongestBusy) {
      return tampered("device_busy",
                      "the GPU was still at work seconds after every timed call had ended: "
                      "something was left running there");
    }
    std::this_thread::sleep_for(kBetweenLooks);
  }
  return {};
}

/// A call that cannot be held has no events of its own that mean anything: the host's part lies
/// between them. It is timed from outside alone.
Attempt<void> GatedTiming::take_batch(Side& side, int calls, const Bounds& bounds) {
  const SteadyTime start = parts_.host_clock.now();
  const std::optional<DeviceState> before = parts_.clock.state();
  std::vector<double> times;
  if (side.timed->is_held()) {
    auto claims = side.timed->claims(calls, bounds);
    if (!claims) return std::unexpected(std::move(claims).error());
    side.event_overhead_ns = claims->event_overhead_ns;
    side.launch_ns.push_back(claims->launch_ns);
    times = std::move(claims->event_ns);
  }
  if (times.empty()) {
    timing::OutsideRounds seen;
    if (auto looked = side.timed->look_from_outside(calls, seen, bounds); !looked) return looked;
    times.push_back(std::max(0.0, seen.call_ns() - side.scene_ns));
  }
  std::optional<DeviceState> state = parts_.clock.state();
  if (state && before) state = timing::worse_of(*before, *state);
  side.batches.push_back(
      timing::make_batch(std::move(times), parts_.host_clock.now() - start, std::move(state)));
  return {};
}

/// Over a warm cache the scene takes less time in the worker than around a call, which leaves the
/// cache full of its own.
double GatedTiming::slack_of(const Side& side) const {
  return mode() == TimingMode::warm ? kClockSlack + side.scene_ns / 2 : kClockSlack;
}

/// Where the runner's times lie below the worker's by more than both clocks' errors, the worker's
/// count; far below, they were made up. A GPU that others use meanwhile makes the worker's too
/// long, never too short: then it looks again.
Attempt<void> GatedTiming::compare_clocks(Side& side, const Bounds& bounds) {
  const double told = timing::median_of(timing::used_samples(side.batches));
  std::vector<timing::Batch> by_worker;
  for (int looks = 1; looks <= kMostLooks; ++looks) {
    timing::OutsideRounds look;
    if (auto looked = side.timed->look_from_outside(kCallsInBatch, look, bounds); !looked) {
      return looked;
    }
    by_worker.push_back(timing::make_batch({std::max(0.0, look.call_ns() - side.scene_ns)}, {}));
    side.outside.add(look);
    if (looks < kLooks) continue;
    if (looks % kLooks == 0 && looks > kLooks) {  // what is taken off may be wrong as well
      auto scene = side.timed->seat().scene_ns(side.timed->outputs());
      if (!scene) return std::unexpected(std::move(scene).error());
      side.scene_ns = *scene;
    }
    const double seen = side.outside_ns();
    if (told >= seen - slack_of(side) - seen * kClockSlackPart) return {};
  }
  const double seen = side.outside_ns();
  if (told < seen * kMadeUpBelow && seen - told > kMadeUpBy - kClockSlack + slack_of(side)) {
    return tampered(
        "clock", fmt::format("the runner claims {:.1f} us for a call that takes {:.1f} us by the "
                             "worker's clock",
                             told / 1e3, seen / 1e3));
  }
  side.batches = std::move(by_worker);
  side.by_worker = true;
  return {};
}

Attempt<void> GatedTiming::take_other_times(Side& side, const Bounds& bounds) {
  Contender& contender = side.timed->contender();
  auto host = contender.host_time(kHostCalls, bounds);
  if (!host) return std::unexpected(std::move(host).error());
  side.host_ns = *std::move(host);
  auto traced = side.timed->trace(kTracedCalls, bounds);
  if (!traced) return std::unexpected(std::move(traced).error());
  side.traced = *std::move(traced);
  return {};
}

/// By where its queue lies, a process's launches take longer than another's for as long as it
/// lives. That is no property of the kernel.
void GatedTiming::take_off_launch_excess(Side& side) const {
  if (side.by_worker || !side.timed->is_held()) return;
  const std::size_t launches = launches_of(side.traced);
  const double excess = std::clamp(timing::median_of(side.launch_ns) - parts_.clock.launch_ns(),
                                   -kMostLaunchExcess, kMostLaunchExcess);
  const double time = timing::median_of(timing::used_samples(side.batches));
  side.launch_excess_ns = std::clamp(excess * static_cast<double>(launches),
                                     -kMostExcessPart * time, kMostExcessPart * time);
  for (timing::Batch& batch : side.batches) {
    for (double& ns : batch.per_call_ns) ns = std::max(0.0, ns - side.launch_excess_ns);
  }
}

/// What a call answers must reach the memory, but for what stays in the cache.
Attempt<void> GatedTiming::refuse_the_impossible(const Side& side) const {
  std::size_t bytes = 0;
  for (const OutputShape& output : side.timed->outputs()) {
    bytes += output.count * output.element_size;
  }
  const double least = parts_.clock.least_ns_to_write(bytes);
  const double told = timing::median_of(timing::used_samples(side.batches));
  if (told >= least * kImpossibleBelow) return {};
  return tampered("impossible_time",
                  fmt::format("{} bytes of answers in {:.1f} us: this GPU's memory takes {:.1f} us "
                              "for them at least",
                              bytes, told / 1e3, least / 1e3));
}

Attempt<void> GatedTiming::verify(const Bounds& bounds) {
  const std::vector<SeenRound>& rounds = candidate_.timed->rounds();
  std::size_t bytes = 0;
  for (const ArmedInput& input : candidate_.timed->seat().command().inputs) bytes += input.size;
  std::random_device random;
  const int calls = bytes > kLargeBytes ? kVerifiedLargeCalls : kVerifiedCalls;
  for (int i = 0; i < calls && reproducible_; ++i) {
    const SeenRound& round = rounds[random() % rounds.size()];
    auto verified = verify_call(round, random() % round.entries.size(), bounds);
    if (!verified) return verified;
  }
  return {};
}

Attempt<void> GatedTiming::verify_call(const SeenRound& round, std::size_t call,
                                       const Bounds& bounds) {
  auto swept = candidate_.timed->seat().sweeps_are_true(round);
  if (!swept) return std::unexpected(std::move(swept).error());
  if (!*swept) return tampered("clock", "the cache was not swept before every timed call");
  std::vector<std::vector<std::byte>> storage;
  const auto contents = candidate_.timed->contents_in(round, call, storage);
  std::vector<std::uint64_t> fingerprints;
  // Once more where they differ: a kernel may give other bits each time, and be right.
  while (fingerprints.size() < 3) {
    auto judged = parts_.checking.judge_over(contents, bounds);
    if (!judged) return std::unexpected(std::move(judged).error());
    if (judged->wrong) {
      judged->wrong->reason += ". This was over the inputs of a timed call";
      return std::unexpected(Setback(Fate{*std::move(judged->wrong), {}}));
    }
    fingerprints.push_back(fingerprint_of(judged->candidate, round.key));
    if (fingerprints.back() == round.entries[call].outputs) return {};
  }
  if (std::ranges::adjacent_find(fingerprints, std::not_equal_to<>()) != fingerprints.end()) {
    reproducible_ = false;
    return {};
  }
  return tampered("timed_runs_differ",
                  "a timed call left another answer behind than the same call gives when it is "
                  "made again over the same inputs");
}

TimingSummary GatedTiming::summary_of(const Side& side) const {
  const bool by_events = side.timed->is_held() && !side.by_worker;
  TimingSummary summary = timing::summarize(timing::used_samples(side.batches),
                                            by_events ? "cuda_events_held" : "worker_clock");
  summary.mode = mode();
  summary.device_time = timing::time_of(side.batches, kTurns);
  const Statistics host = timing::statistics_of(side.host_ns);
  summary.host_time = CallTime{.ns = host.median, .interval = host.median_interval};
  summary.host_included = !side.timed->is_held();
  if (side.traced.missing.empty()) {
    summary.kernel_time = side.traced.time;
  } else {
    summary.kernel_time_missing = side.traced.missing;
  }
  if (by_events) {
    summary.event_overhead = side.event_overhead_ns;
    summary.launch_excess = side.launch_excess_ns;
  }
  summary.batches = timing::summaries_of(side.batches);
  summary.trust = Trust::measured_outside;
  summary.trust_reason = fmt::format(
      "a clock in the worker, which runs none of the submitted code, confirms it: {:.2f} us; "
      "inputs "
      "changed with every call, and calls chosen in secret gave the same answers when made again",
      side.outside_ns() / 1e3);
  if (&side == &candidate_ && !reproducible_) {
    summary.trust = Trust::claimed;
    summary.trust_reason =
        "the worker's clock confirms it, but the kernel gives other bits each time it runs: that "
        "its timed "
        "calls did all the work could not be proven";
  } else if (!side.timed->is_varied()) {
    summary.trust = Trust::claimed;
    summary.trust_reason =
        "the worker's clock confirms it, but the inputs hold no floating-point numbers that could "
        "change "
        "from call to call: that its answers do not come from memory could not be proven";
  }
  return summary;
}

void GatedTiming::summarize(Outcome& outcome) {
  outcome.candidate_timing = summary_of(candidate_);
  if (!reference_) return;
  outcome.reference_timing = summary_of(*reference_);
  const auto pairs = timing::pairs_of(reference_->batches, candidate_.batches);
  outcome.speed = timing::compare_paired(pairs, paired_rule());
}

}  // namespace assay::eval
