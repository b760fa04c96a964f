#include "eval/clock_comparison.hpp"

#include <algorithm>
#include <cstddef>
#include <expected>
#include <utility>

#include <fmt/core.h>

#include "eval/runner.hpp"
#include "eval/timed_side.hpp"
#include "model/timing_mode.hpp"
#include "timing/batch.hpp"
#include "timing/outside_time.hpp"

namespace assay::eval {
namespace {

constexpr int kCalls = 10;             // in a long round of a look
constexpr double kLongLook = 10e6;     // ns: calls that take so long are enough, however few
constexpr std::size_t kLooks = 4;      // of two long rounds each
constexpr std::size_t kLongLooks = 2;  // of calls that are long each
constexpr std::size_t kMostLooks = 24;
// By how much the time outside may lie above the runner's: it has the gap between two launches, and
// what the scene takes is measured in another process. On an H200 by 0 to 1.2 us and 0 to 4 %.
constexpr double kSlack = 1500;  // ns
constexpr double kSlackPart = 0.05;
constexpr double kHostSlack = 50e3;  // ns; a round's first call that waits may take ten times that
// A scene of gigabytes takes milliseconds, and what is taken off for it is measured in another
// process. Of what it takes beyond a usual one:
constexpr double kUsualScene = 200e3;  // ns
constexpr double kSceneSlackPart = 0.01;
constexpr double kSceneErrorPart = 0.05;  // before anybody is accused
// By what part long rounds alone may tell more than their difference from short ones.
constexpr double kLongPart = 0.1;
constexpr double kMadeUpBelow = 0.5;  // of the time outside
constexpr double kMadeUpBy = 7e3;     // ns, beyond the slack
// By how much the one call of a short round may tell more than the difference. Such a call may be
// slower than those that follow it, and the GPU comes to one process later than to another.
constexpr double kFirstSlack = 50e3;       // ns
constexpr double kFirstHostSlack = 600e3;  // ns
constexpr double kFirstPart = 0.5;
constexpr double kMostBeside = 100e3;  // ns, of a reference's rounds beyond the worker's own
constexpr double kMostLate = 150e3;    // ns, of all rounds of one process, before it is accused

/// Whether a call cannot take the time told, if so much was seen.
bool is_made_up(double told_ns, double seen_ns, double below, double slack_ns) {
  return told_ns < seen_ns * below && seen_ns - told_ns > slack_ns + kMadeUpBy;
}

double unusual_scene_ns(const TimedSide& side) {
  return std::max(0.0, side.scene.call_ns - kUsualScene);
}

}  // namespace

int ClockComparison::calls_in_look(const TimedSide& side) {
  return std::clamp(static_cast<int>(kLongLook / (side.told_ns() + side.scene.call_ns + 1)), 1,
                    kCalls);
}

void ClockComparison::learn_from(const TimedSide& reference) {
  (reference.timed->is_held() ? beside_of_held_ : beside_of_others_) =
      reference.outside.beside_ns();
}

double ClockComparison::seen_ns(const TimedSide& side, const timing::OutsideRounds& rounds) const {
  return ns_by(trusted_of(side, rounds), side, rounds);
}

bool ClockComparison::contradicts(const TimedSide& side, double seen_ns, double part) const {
  return is_made_up(side.told_ns(), seen_ns, part, accusing_slack_of(side));
}

/// A GPU that others use meanwhile makes the worker's times too long, never too short: then it
/// looks again.
Attempt<bool> ClockComparison::agree(TimedSide& side, const Bounds& bounds) {
  const double told = side.told_ns();
  const std::size_t fewest = calls_in_look(side) < kCalls ? kLongLooks : kLooks;
  while (side.looks.size() < kMostLooks) {
    if (auto looked = look(side, bounds); !looked) {
      return std::unexpected(std::move(looked).error());
    }
    const std::size_t looks = side.looks.size();
    if (looks < fewest) continue;
    if (looks % kLooks == 0 && looks > kLooks) {  // what is taken off may be wrong as well
      if (auto measured = measure_scene_(side, bounds); !measured) {
        return std::unexpected(std::move(measured).error());
      }
    }
    const double seen = seen_ns(side, side.outside);
    if (told >= seen - slack_of(side) - seen * kSlackPart) return true;
  }
  if (side.is_reference) return false;
  if (are_short_rounds_longer(side)) {
    return tampered("clock",
                    "rounds of one call took longer than their call needs, so that the calls of "
                    "long rounds would seem quicker than they are");
  }
  // The worker's own clock took what is told of calls that cannot be held: nobody claims it.
  if (!side.timed->is_held()) return false;
  const double by_long = ns_by(By::long_rounds, side, side.outside);
  // Not by short rounds: what comes beside their one call is not divided by many.
  const bool contradicted = contradicts(side, side.outside_ns(), kMadeUpBelow) ||
                            is_made_up(told, by_long, kMadeUpBelow, accusing_slack_of_long(side));
  if (contradicted) {
    const double seen = std::max(side.outside_ns(), by_long);
    return tampered(
        "clock", fmt::format("the runner claims {:.1f} us for a call that takes {:.1f} us by the "
                             "worker's clock",
                             told / 1e3, seen / 1e3));
  }
  return false;
}

Attempt<void> ClockComparison::replace(TimedSide& side, const Bounds& bounds) {
  while (side.looks.size() < kMostLooks) {
    if (auto looked = look(side, bounds); !looked) return looked;
  }
  const By by = trusted_of(side, side.outside);
  side.batches.clear();
  for (const timing::OutsideRounds& look : side.looks) {
    side.batches.push_back(timing::make_batch({std::max(0.0, ns_by(by, side, look))}, {}));
  }
  side.by_worker = true;
  return {};
}

Attempt<void> ClockComparison::look(TimedSide& side, const Bounds& bounds) {
  progress_.say(fmt::format("from outside, look {}", side.looks.size() + 1));
  timing::OutsideRounds seen;
  if (auto looked = side.timed->look_from_outside(calls_in_look(side), seen, bounds); !looked) {
    return looked;
  }
  side.looks.push_back(seen);
  side.outside.add(seen);
  return {};
}

std::optional<double> ClockComparison::learned_for(const TimedSide& side) const {
  return side.timed->is_held() ? beside_of_held_ : beside_of_others_;
}

/// Of a candidate's rounds, as the reference's tell it; if those are long, their error is too.
double ClockComparison::beside_of(const TimedSide& side,
                                  const timing::OutsideRounds& rounds) const {
  if (side.is_reference) return rounds.beside_ns();
  const double own = side.scene.round_ns;
  return std::clamp(learned_for(side).value_or(own), own, own + kMostBeside);
}

double ClockComparison::ns_by(By which, const TimedSide& side,
                              const timing::OutsideRounds& rounds) const {
  const double scene = side.scene.call_ns;
  switch (which) {
    case By::difference:
      break;
    case By::long_rounds:
      return rounds.call_ns_of_long(beside_of(side, rounds)) - scene;
    case By::short_rounds:
      return rounds.call_ns_of_short(beside_of(side, rounds)) - scene;
  }
  return side.outside_ns(rounds);
}

/// The time outside is the difference between long rounds and short ones, and whoever shares the
/// runner's process can make short ones longer. Or he leaves work out of all calls but the last of
/// each round, which alone leaves an answer behind. Then rounds of one kind count by themselves.
ClockComparison::By ClockComparison::trusted_of(const TimedSide& side,
                                                const timing::OutsideRounds& rounds) const {
  const bool held = side.timed->is_held();
  const double difference = side.outside_ns(rounds);
  if (learned_for(side) &&
      ns_by(By::short_rounds, side, rounds) >
          difference * (1 + kFirstPart) + (held ? kFirstSlack : kFirstHostSlack)) {
    return By::short_rounds;
  }
  const double slack = held ? slack_of(side) : kHostSlack;
  return ns_by(By::long_rounds, side, rounds) * (1 - kLongPart) > difference + slack
             ? By::long_rounds
             : By::difference;
}

/// So much that it is no error. Nobody can make long rounds shorter.
bool ClockComparison::are_short_rounds_longer(const TimedSide& side) const {
  return is_made_up(side.outside_ns(), ns_by(By::long_rounds, side, side.outside), kMadeUpBelow,
                    accusing_slack_of_long(side));
}

/// By how much the worker's time may be too long, in nanoseconds. Over a warm cache the scene takes
/// less time in the worker than around a call, which leaves the cache full of its own.
double ClockComparison::slack_of(const TimedSide& side) const {
  const double slack = kSlack + kSceneSlackPart * unusual_scene_ns(side);
  return mode_ == TimingMode::warm ? slack + side.scene.call_ns / 2 : slack;
}

double ClockComparison::accusing_slack_of(const TimedSide& side) const {
  const double host = side.timed->is_held() ? 0 : kHostSlack;
  return slack_of(side) + kSceneErrorPart * unusual_scene_ns(side) + host;
}

double ClockComparison::accusing_slack_of_long(const TimedSide& side) const {
  if (!side.timed->is_held()) return accusing_slack_of(side);
  return accusing_slack_of(side) + kMostLate / static_cast<double>(side.outside.apart + 1);
}

}  // namespace assay::eval
