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
constexpr double kSlack = 2500;  // ns
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
constexpr double kMadeUpBy = 6e3;     // ns, beyond the slack

/// Whether a call cannot take the time told, if so much was seen.
bool is_made_up(double told_ns, double seen_ns, double slack_ns) {
  return told_ns < seen_ns * kMadeUpBelow && seen_ns - told_ns > slack_ns + kMadeUpBy;
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
  return std::max(side.outside_ns(rounds), by_long_rounds(side, rounds));
}

bool ClockComparison::contradicts(const TimedSide& side, double seen_ns) const {
  return is_made_up(side.told_ns(), seen_ns, accusing_slack_of(side));
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
      auto scene = side.timed->seat().scene_cost(side.timed->outputs());
      if (!scene) return std::unexpected(std::move(scene).error());
      side.scene = *scene;
    }
    const double seen = side.outside_ns();
    const bool agrees = told >= seen - slack_of(side) - seen * kSlackPart;
    if (agrees && !is_longer_by_long_rounds(side)) return true;
  }
  if (are_short_rounds_longer(side)) {
    return tampered("clock",
                    "rounds of one call took longer than their call needs, so that the calls of "
                    "long rounds would seem quicker than they are");
  }
  const double seen = side.outside_ns();
  if (contradicts(side, seen)) {
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
  const bool by_long = is_longer_by_long_rounds(side);
  side.batches.clear();
  for (const timing::OutsideRounds& look : side.looks) {
    const double ns = by_long ? by_long_rounds(side, look) : side.outside_ns(look);
    side.batches.push_back(timing::make_batch({std::max(0.0, ns)}, {}));
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

double ClockComparison::by_long_rounds(const TimedSide& side,
                                       const timing::OutsideRounds& rounds) const {
  const auto& learned = side.timed->is_held() ? beside_of_held_ : beside_of_others_;
  const double beside =
      side.is_reference ? rounds.beside_ns() : learned.value_or(side.scene.round_ns);
  return rounds.call_ns_of_long(beside) - side.scene.call_ns;
}

/// The time outside is the difference between long rounds and short ones, and whoever shares the
/// runner's process can make short ones longer. Nobody can make long ones shorter.
bool ClockComparison::are_short_rounds_longer(const TimedSide& side) const {
  const double slack = side.timed->is_held() ? accusing_slack_of(side) : kHostSlack;
  return is_made_up(side.outside_ns(), by_long_rounds(side, side.outside), slack);
}

/// More than errors explain, if perhaps too little for an accusation: then long rounds alone count.
bool ClockComparison::is_longer_by_long_rounds(const TimedSide& side) const {
  const double slack = side.timed->is_held() ? slack_of(side) : kHostSlack;
  return by_long_rounds(side, side.outside) * (1 - kLongPart) > side.outside_ns() + slack;
}

/// By how much the worker's time may be too long, in nanoseconds. Over a warm cache the scene takes
/// less time in the worker than around a call, which leaves the cache full of its own.
double ClockComparison::slack_of(const TimedSide& side) const {
  const double slack = kSlack + kSceneSlackPart * unusual_scene_ns(side);
  return mode_ == TimingMode::warm ? slack + side.scene.call_ns / 2 : slack;
}

double ClockComparison::accusing_slack_of(const TimedSide& side) const {
  return slack_of(side) + kSceneErrorPart * unusual_scene_ns(side);
}

}  // namespace assay::eval
