#include "eval/further_rounds.hpp"

#include <cstdint>
#include <expected>
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

constexpr int kJudged = 3;
constexpr int kFewestRounds = 12;
constexpr int kMostRounds = 96;     // others may use the GPU meanwhile
constexpr double kLazyBelow = 0.7;  // of the time that judged calls take

}  // namespace

/// Nobody knows which rounds are judged, and some of either length are. So whoever does the work in
/// the last call of a round alone, or in rounds of one length, shows it in the time of these
/// rounds.
Attempt<void> FurtherRounds::judge(const TimedSide& candidate, const Bounds& bounds) {
  std::random_device random;
  const auto up_to = [&random](int most) {
    return std::uniform_int_distribution<int>(1, most)(random);
  };
  const int many = 1 + up_to(ClockComparison::calls_in_look(candidate));
  timing::OutsideRounds seen;
  double seen_ns = 0;
  int judged = 0;
  for (int rounds = 1; rounds <= kMostRounds; ++rounds) {
    const auto calls = static_cast<std::uint32_t>(up_to(2) == 1 ? 1 : many);
    if (auto made = candidate.timed->add_round(calls, seen, bounds); !made) {
      return blame_.candidate(std::move(made).error());
    }
    if (judged < kJudged && up_to(2) == 1) {
      if (auto right = judge_answer(candidate, bounds); !right) return right;
      ++judged;
    }
    if (rounds < kFewestRounds || judged < kJudged) continue;
    if (seen.short_ns.empty() || seen.long_ns.empty()) continue;
    seen_ns = clocks_.seen_ns(candidate, seen);
    if (!clocks_.contradicts(candidate, seen_ns, kLazyBelow)) return {};
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
