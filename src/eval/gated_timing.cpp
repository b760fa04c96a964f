#include "eval/gated_timing.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/error.hpp"
#include "eval/further_rounds.hpp"
#include "eval/outside_clock.hpp"
#include "eval/runner.hpp"
#include "eval/timed_contender.hpp"
#include "eval/timed_side.hpp"
#include "model/device_state.hpp"
#include "model/timing_mode.hpp"
#include "model/timing_summary.hpp"
#include "model/verdict.hpp"
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

constexpr std::size_t kTurns = 4;  // in which rounds come; see timing/even_out.hpp
constexpr int kBatches = 3 * kTurns;
constexpr int kCallsInBatch = 10;  // where the request leaves the number of trials to us
constexpr std::uint32_t kHostCalls = 5;
constexpr std::chrono::seconds kLongestBusy{2};
constexpr std::chrono::milliseconds kBetweenLooks{1};
// A process's launches take up to 0.3 us longer than another's, and no more than a part of its time
// may be put down to that: the numbers are the runner's.
constexpr double kMostLaunchExcess = 500;  // ns, of one launch
constexpr double kMostExcessPart = 0.1;
constexpr double kFastestLaunch = 1500;  // ns, by the GPU
constexpr int kTracedCalls = 5;
constexpr double kImpossibleBelow = 0.9;  // of what its answers take to reach the memory

}  // namespace

std::unexpected<Setback> GatedTiming::blame(const TimedSide& side, Setback setback) {
  return &side == &candidate_ ? parts_.blame.candidate(std::move(setback))
                              : parts_.blame.reference(std::move(setback));
}

Attempt<void> GatedTiming::prepare(const Bounds& bounds) {
  auto gentle = repeated_.find_gentle_inputs(parts_.input.secret, bounds);
  if (!gentle) return std::unexpected(std::move(gentle).error());
  gentle_ = *gentle;
  if (Contender* const reference = parts_.pair.reference()) {
    reference_.emplace().is_reference = true;
    if (auto ready = seat(*reference, *reference_, bounds); !ready) return ready;
  }
  return seat(parts_.pair.candidate(), candidate_, bounds);
}

Attempt<void> GatedTiming::seat(Contender& contender, TimedSide& side, const Bounds& bounds) {
  auto timed = TimedContender::create(contender, parts_.clock,
                                      {.gentle = gentle_,
                                       .sweeps = mode() != TimingMode::warm,
                                       .graph = mode() == TimingMode::graph},
                                      bounds);
  if (!timed) return std::unexpected(std::move(timed).error());
  side.timed = *std::move(timed);
  return {};
}

Attempt<void> GatedTiming::time(Outcome& outcome, const Bounds& bounds) {
  std::vector<TimedSide*> sides{&candidate_};
  if (reference_) sides.insert(sides.begin(), &*reference_);
  for (TimedSide* const side : sides) {
    if (auto turned = turn_to(*side, bounds); !turned) return turned;
    if (auto settled = side->timed->settle(request_.warmup, bounds); !settled) {
      return blame(*side, std::move(settled).error());
    }
  }
  parts_.progress.say("what stands around a call");
  if (auto measured = measure_scenes(bounds); !measured) return measured;
  if (auto taken = take_batches(bounds); !taken) return taken;
  if (auto compared = compare_clocks(sides, bounds); !compared) return compared;
  if (!parts_.checking.keeps_state()) {
    parts_.progress.say("making timed calls again");
    auto proven = repeated_.prove(*candidate_.timed, bounds);
    if (!proven) return std::unexpected(std::move(proven).error());
    reproducible_ = *proven;
    if (!reproducible_) {
      FurtherRounds further(repeated_, clocks_, parts_.blame);
      if (auto right = further.judge(candidate_, bounds); !right) return right;
    }
  }
  for (TimedSide* const side : sides) {
    parts_.progress.say("what its kernels take");
    if (auto turned = turn_to(*side, bounds); !turned) return turned;
    if (auto taken = take_other_times(*side, bounds); !taken) {
      return blame(*side, std::move(taken).error());
    }
    take_off_launch_excess(*side);
    if (auto possible = refuse_the_impossible(*side); !possible) {
      return blame(*side, std::move(possible).error());
    }
  }
  // Last, for it leaves other inputs behind.
  if (!candidate_.timed->is_varied_strongly() && !parts_.checking.keeps_state()) {
    if (auto right = repeated_.answer_unseen_inputs(bounds); !right) return right;
  }
  summarize(outcome);
  return {};
}

Attempt<void> GatedTiming::take_batches(const Bounds& bounds) {
  timing::PairOrder order(parts_.input.secret);
  const SteadyTime start = parts_.host_clock.now();
  for (int done = 0; !is_enough(done, parts_.host_clock.now() - start); ++done) {
    parts_.progress.say(fmt::format("batch {}", done + 1));
    const bool candidate_first = !reference_ || !order.reference_first();
    for (const bool first : {true, false}) {
      const bool is_candidate = first == candidate_first;
      if (!is_candidate && !reference_) continue;
      TimedSide& side = is_candidate ? candidate_ : *reference_;
      if (auto turned = turn_to(side, bounds); !turned) return turned;
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
double GatedTiming::doubt_of(const TimedSide& side) {
  constexpr double kOfCall = 90;  // ns
  constexpr double kOfLaunch = 40;
  const double time = side.told_ns();
  if (time <= 0) return 0;
  double launches = time / kFastestLaunch;  // the most there can be, before they are counted
  if (!side.traced.time.kernels.empty()) launches = static_cast<double>(side.launches());
  return (kOfCall + kOfLaunch * launches) / time;
}

Attempt<void> GatedTiming::turn_to(const TimedSide& side, const Bounds& bounds) {
  bool of_reference = false;
  if (auto turned = turns_.turn_to(side.timed->contender(), of_reference); !turned) {
    return blame(of_reference ? *reference_ : candidate_, std::move(turned).error());
  }
  return await_idle(bounds);
}

Attempt<void> GatedTiming::turn_to_nobody(const Bounds& bounds) {
  bool of_reference = false;
  if (auto turned = turns_.turn_to_nobody(of_reference); !turned) {
    return blame(of_reference ? *reference_ : candidate_, std::move(turned).error());
  }
  return await_idle(bounds);
}

/// Whoever used the GPU meanwhile would have too much taken off his own time.
Attempt<void> GatedTiming::measure_scene_again(TimedSide& side, const Bounds& bounds) {
  if (auto turned = turn_to_nobody(bounds); !turned) return turned;
  if (auto measured = measure_scene(side); !measured) return measured;
  return turn_to(side, bounds);
}

Attempt<void> GatedTiming::measure_scene(TimedSide& side) {
  auto cost = side.timed->seat().scene_cost(side.timed->outputs());
  if (!cost) return std::unexpected(std::move(cost).error());
  side.scene = *cost;
  return {};
}

/// Equal scenes have one cost, so that its error cannot make two kernels differ.
Attempt<void> GatedTiming::measure_scenes(const Bounds& bounds) {
  if (auto turned = turn_to_nobody(bounds); !turned) return turned;
  if (auto measured = measure_scene(candidate_); !measured || !reference_) return measured;
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
    reference_->scene = candidate_.scene;
    return {};
  }
  return measure_scene(*reference_);
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
Attempt<void> GatedTiming::take_batch(TimedSide& side, int calls, const Bounds& bounds) {
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
    const int enough = std::max(calls, ClockComparison::calls_in_look(side));
    if (auto looked = side.timed->look_from_outside(enough, seen, bounds); !looked) return looked;
    times.push_back(side.outside_ns(seen));
  }
  std::optional<DeviceState> state = parts_.clock.state();
  if (state && before) state = timing::worse_of(*before, *state);
  side.batches.push_back(
      timing::make_batch(std::move(times), parts_.host_clock.now() - start, std::move(state)));
  return {};
}

/// Where a runner's times lie below the worker's by more than both clocks' errors, the worker's
/// count, for both kernels: like is held against like.
Attempt<void> GatedTiming::compare_clocks(const std::vector<TimedSide*>& sides,
                                          const Bounds& bounds) {
  bool agree = true;
  for (TimedSide* const side : sides) {
    if (auto turned = turn_to(*side, bounds); !turned) return turned;
    auto agreed = clocks_.agree(*side, bounds);
    if (!agreed) return blame(*side, std::move(agreed).error());
    agree = agree && *agreed;
    if (side->is_reference) clocks_.learn_from(*side);
  }
  for (std::size_t i = 0; i < sides.size() && !agree; ++i) {
    if (auto turned = turn_to(*sides[i], bounds); !turned) return turned;
    if (auto replaced = clocks_.replace(*sides[i], bounds); !replaced) {
      return blame(*sides[i], std::move(replaced).error());
    }
  }
  return {};
}

Attempt<void> GatedTiming::take_other_times(TimedSide& side, const Bounds& bounds) {
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
void GatedTiming::take_off_launch_excess(TimedSide& side) const {
  if (side.by_worker || !side.timed->is_held()) return;
  const double excess = std::clamp(timing::median_of(side.launch_ns) - parts_.clock.launch_ns(),
                                   -kMostLaunchExcess, kMostLaunchExcess);
  const double time = side.told_ns();
  side.launch_excess_ns = std::clamp(excess * static_cast<double>(side.launches()),
                                     -kMostExcessPart * time, kMostExcessPart * time);
  for (timing::Batch& batch : side.batches) {
    for (double& ns : batch.per_call_ns) ns = std::max(0.0, ns - side.launch_excess_ns);
  }
}

/// What a call answers must reach the memory, but for what stays in the cache.
Attempt<void> GatedTiming::refuse_the_impossible(const TimedSide& side) const {
  const std::size_t bytes = side.timed->written_bytes();
  const double least = parts_.clock.least_ns_to_write(bytes);
  const double told = side.told_ns();
  if (told >= least * kImpossibleBelow) return {};
  return tampered(
      "impossible_time",
      fmt::format(
          "{} bytes of answers in {:.1f} us: this GPU's memory needs at least {:.1f} us for them",
          bytes, told / 1e3, least / 1e3));
}

TimingSummary GatedTiming::summary_of(const TimedSide& side) const {
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
  if (parts_.checking.keeps_state()) {
    summary.trust = Trust::claimed;
    summary.trust_reason =
        "the worker's clock confirms it, but the kernels keep state from call to call: it could "
        "not be proven that the timed calls did all the work";
  } else if (&side == &candidate_ && !reproducible_) {
    summary.trust = Trust::claimed;
    summary.trust_reason =
        "the worker's clock confirms it, but the kernel gives other bits each time it runs: its "
        "timed calls could not be compared bit by bit, so calls of further rounds were judged";
  } else if (!side.timed->is_varied()) {
    summary.trust = Trust::claimed;
    summary.trust_reason =
        "the worker's clock confirms it, but the inputs hold no floating-point numbers that could "
        "change from call to call: it could not be proven that its answers do not come from memory";
  } else if (!side.timed->is_varied_strongly()) {
    summary.trust = Trust::claimed;
    summary.trust_reason =
        "the worker's clock confirms it, but only the last bits of the inputs could change from "
        "call to call, because the kernels do not agree, or the reference has no answer, over "
        "other numbers: it could not be proven that its answers do not come from memory";
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
