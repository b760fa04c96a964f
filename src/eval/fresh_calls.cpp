#include "eval/fresh_calls.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <expected>
#include <random>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "eval/answer.hpp"
#include "eval/blame.hpp"
#include "eval/checking.hpp"
#include "eval/contender.hpp"
#include "eval/pair.hpp"
#include "eval/runner.hpp"
#include "judge/compare.hpp"
#include "model/verdict.hpp"
#include "tensor/bytes.hpp"

namespace assay::eval {
namespace {

constexpr std::chrono::seconds kMostTime{3};                 // of an evaluation
constexpr std::size_t kMostBytes = std::size_t{256} << 20U;  // of the inputs of a batch
constexpr std::size_t kChosen = 2;                           // of the answers of a batch
constexpr int kWarmingCalls = 2;

/// Adds the time that passes until it ends.
class Stopwatch {
 public:
  Stopwatch(const Clock& clock, std::chrono::nanoseconds& total)
      : clock_(clock), total_(total), begun_(clock.now()) {}
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;
  Stopwatch(Stopwatch&&) = delete;
  Stopwatch& operator=(Stopwatch&&) = delete;
  ~Stopwatch() { total_ += clock_.now() - begun_; }

 private:
  const Clock& clock_;
  std::chrono::nanoseconds& total_;
  SteadyTime begun_;
};

/// To the last bit: an answer that was kept, where the inputs are others.
bool same_answer(const Answer& a, const Answer& b) {
  return a.structure == b.structure &&
         std::ranges::equal(a.views, b.views,
                            [](const judge::OutputView& one, const judge::OutputView& other) {
                              return tensor::same_bytes(one.bytes, other.bytes);
                            });
}

}  // namespace

FreshCalls::FreshCalls(Pair& pair, Checking& checking, Blame& blame, const Clock& clock)
    : pair_(pair), checking_(checking), blame_(blame), clock_(clock) {
  checking_.keep_last_inputs();
  for (const auto& content : pair_.candidate().contents()) bytes_ += content.size();
}

bool FreshCalls::are_affordable(std::size_t inputs) const {
  return spent_ < kMostTime && inputs * bytes_ <= kMostBytes;
}

Attempt<void> FreshCalls::prepare(int samples, const Bounds& bounds) {
  const Stopwatch watch(clock_, spent_);
  if (!batch_.empty()) previous_ = std::move(batch_.back().inputs);
  batch_.clear();
  std::random_device random;
  for (int left = samples; left > 0;) {
    const FreshInputs* const before = batch_.empty() ? previous_.get() : batch_.back().inputs.get();
    auto inputs = checking_.fresh_inputs(made_++, random() % 2 == 0 ? before : nullptr, bounds);
    if (!inputs) return std::unexpected(std::move(inputs).error());
    batch_.push_back({.inputs = std::move(*inputs)});
    if (!are_affordable(batch_.size() + 1)) batch_.back().count = left;
    left -= batch_.back().count;
  }
  choose();
  return {};
}

/// By chance that follows from nothing a kernel could know.
void FreshCalls::choose() {
  std::random_device random;
  for (std::size_t chosen = 0; chosen < std::min(kChosen, batch_.size());) {
    Calls& calls = batch_[random() % batch_.size()];
    if (!std::exchange(calls.chosen, true)) ++chosen;
  }
}

Attempt<void> FreshCalls::time(Contender& contender, Warming warming, const Timer& timer,
                               const Bounds& bounds) {
  const bool is_candidate = &contender == &pair_.candidate();
  std::random_device random;
  for (Calls& calls : batch_) {
    {
      const Stopwatch watch(clock_, spent_);
      const bool is_cold = warming == Warming::before_each_input ||
                           (warming == Warming::before_batch && &calls == &batch_.front());
      if (is_cold) {
        if (auto warm = contender.warm(kWarmingCalls, bounds); !warm) return warm;
      }
      RoundInputs inputs = calls.inputs->of_round();
      inputs.staged = true;
      if (auto filled = contender.fill(inputs, bounds); !filled) return filled;
    }
    // One call that shares its inputs with others is compared, and nobody knows which.
    const auto before = static_cast<int>(random() % static_cast<unsigned>(calls.count));
    if (auto timed = time_alike(contender, timer, before); !timed) return timed;
    if (auto timed = timer(1); !timed) return timed;
    if (calls.chosen) {
      const Stopwatch watch(clock_, spent_);
      auto answer = contender.answer(bounds);
      if (!answer) return std::unexpected(std::move(answer).error());
      (is_candidate ? calls.given : calls.expected).emplace(*answer);
      contender.release_answer();
    }
    const int after = calls.count - 1 - before;
    if (auto timed = time_alike(contender, timer, after); !timed) return timed;
  }
  return {};
}

/// Calls over the inputs as they are, but for a few elements: each call has others.
Attempt<void> FreshCalls::time_alike(Contender& contender, const Timer& timer, int calls) {
  std::random_device random;
  for (; calls > 0; --calls) {
    auto done = contender.exchange_elements(random());
    if (!done) return std::unexpected(std::move(done).error());
    if (auto timed = timer(1); !timed) return timed;
    done = contender.give_back_elements();
    if (!done) return std::unexpected(std::move(done).error());
  }
  return {};
}

Attempt<void> FreshCalls::compare(const Bounds& bounds) {
  const Stopwatch watch(clock_, spent_);
  for (const Calls& calls : batch_) {
    if (!calls.given || !calls.expected) continue;
    if (auto right = judge(calls, bounds); !right) return right;
  }
  return {};
}

Attempt<void> FreshCalls::judge(const Calls& calls, const Bounds& bounds) {
  const Answer& expected = calls.expected->answer();
  auto compared = checking_.compare_timed(
      calls.given->answer(), expected,
      [&] { return pair_.reference()->fill(calls.inputs->of_round(), bounds); }, bounds);
  if (!compared) return std::unexpected(std::move(compared).error());
  auto wrong = *std::move(compared);
  if (!wrong) return {};
  auto before = ask_again(checking_.last_inputs(), checking_.last_expected(), bounds);
  if (!before) return std::unexpected(std::move(before).error());
  auto now = ask_again(calls.inputs->of_round(), expected, bounds);
  if (!now) return std::unexpected(std::move(now).error());
  const bool is_kept = same_answer(calls.given->answer(), before->answer.answer()) ||
                       same_answer(now->answer.answer(), before->answer.answer());
  if (now->right || !before->right || is_kept) {
    return tampered(
        "timed_runs_differ",
        "The timed runs gave another answer than the checked ones: " + reason_of(*wrong));
  }
  wrong->reason += ". This was over the inputs of a timed call";
  return std::unexpected(Fate{*std::move(wrong), {}});
}

Attempt<FreshCalls::Asked> FreshCalls::ask_again(const RoundInputs& inputs, const Answer& expected,
                                                 const Bounds& bounds) {
  Contender& candidate = pair_.candidate();
  auto ran = candidate.fill(inputs, bounds);
  if (ran) ran = pair_.run(candidate, bounds);
  if (!ran) return blame_.candidate(std::move(ran).error());
  auto answer = candidate.answer(bounds);
  if (!answer) return blame_.candidate(std::move(answer).error());
  auto wrong = checking_.compare_timed(
      *answer, expected, [&] { return pair_.reference()->fill(inputs, bounds); }, bounds);
  if (!wrong) return std::unexpected(std::move(wrong).error());
  return Asked{.right = !wrong->has_value(), .answer = KeptAnswer(*answer)};
}

}  // namespace assay::eval
