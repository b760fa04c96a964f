#include "eval/further_rounds.hpp"

#include <random>
#include <utility>

#include <fmt/core.h>

#include "eval/clock_comparison.hpp"
#include "eval/runner.hpp"
#include "eval/timed_contender.hpp"
#include "eval/timed_side.hpp"
#include "timing/outside_time.hpp"

namespace assay::eval {
namespace {

constexpr int kJudgedLooks = 3;
constexpr int kMostFurtherLooks = 24;  // others may use the GPU meanwhile

}  // namespace

Attempt<void> FurtherRounds::judge(const TimedSide& candidate, const Bounds& bounds) {
  std::random_device random;
  std::uniform_int_distribution<int> some(1, ClockComparison::calls_in_look(candidate));
  const int calls = some(random);
  timing::OutsideRounds seen;
  double seen_ns = 0;
  for (int looks = 1; looks <= kMostFurtherLooks; ++looks) {
    timing::OutsideRounds look;
    if (auto looked = candidate.timed->look_from_outside(calls, look, bounds); !looked) {
      return blame_.candidate(std::move(looked).error());
    }
    seen.add(look);
    if (looks <= kJudgedLooks) {
      if (auto right = judge_answer(candidate, bounds); !right) return right;
    }
    seen_ns = clocks_.seen_ns(candidate, seen);
    if (looks >= kJudgedLooks && !clocks_.contradicts(candidate, seen_ns)) return {};
  }
  return tampered("clock",
                  fmt::format("a call took {:.1f} us when it was timed, and {:.1f} us when its "
                              "answer was judged as well",
                              candidate.told_ns() / 1e3, seen_ns / 1e3));
}

Attempt<void> FurtherRounds::judge_answer(const TimedSide& candidate, const Bounds& bounds) {
  auto answer = candidate.timed->contender().answer(bounds);
  if (!answer) return blame_.candidate(std::move(answer).error());
  return repeated_.judge_last(*candidate.timed, *answer, bounds);
}

}  // namespace assay::eval
