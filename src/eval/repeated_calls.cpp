#include "eval/repeated_calls.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "eval/answer.hpp"
#include "eval/checking.hpp"
#include "eval/contender.hpp"
#include "eval/outside_clock.hpp"
#include "eval/runner.hpp"
#include "eval/timed_contender.hpp"
#include "gate/scene_check.hpp"
#include "judge/compare.hpp"
#include "model/dtype.hpp"
#include "model/runner_protocol.hpp"
#include "model/verdict.hpp"
#include "tensor/accelerator.hpp"
#include "tensor/arena.hpp"
#include "tensor/bytes.hpp"

namespace assay::eval {
namespace {

constexpr int kCalls = 5;
constexpr int kUnseenCalls = 2;
constexpr int kLargeCalls = 1;                                   // of tensors past the next limit
constexpr std::size_t kLargeBytes = std::size_t{512} << 20U;     // of inputs
constexpr std::size_t kTooLargeToTry = std::size_t{512} << 20U;  // bytes that the processor varies

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

Attempt<void> must_have_swept(const TimedContender& candidate, const SeenRound& round) {
  auto swept = candidate.seat().sweeps_are_true(round);
  if (!swept) return std::unexpected(std::move(swept).error());
  if (*swept) return {};
  return tampered("clock", "the cache was not swept before every timed call");
}

/// Of large answers, whether the first elements are.
bool is_finite(const Answer& answer) {
  constexpr std::size_t kLooked = std::size_t{1} << 20U;
  return std::ranges::all_of(tensors_of_answer(answer), [](const judge::OutputView& view) {
    const std::size_t element = size_of(view.dtype);
    return !is_floating(view.dtype) ||
           gate::all_finite(gate::variation_of(view.dtype),
                            view.bytes.first(std::min(view.bytes.size(), kLooked * element)));
  });
}

}  // namespace

Attempt<GentleInputs> RepeatedCalls::find_gentle_inputs(std::uint64_t secret,
                                                        const Bounds& bounds) {
  std::size_t size = 0;
  for (const auto& content : pair_.candidate().contents()) {
    if (tensor::accelerator_of({content}) == nullptr) size += content.size();
  }
  if (size > kTooLargeToTry) return GentleInputs::all;
  Scene scene = pair_.candidate().scene();
  auto agreed = agree_over_varied(scene, secret, bounds);
  if (agreed && *agreed) return GentleInputs::none;
  if (std::ranges::any_of(scene.inputs, &SceneInput::sorted)) {
    make_gentle(scene, GentleInputs::sorted);
    const auto in_order = agree_over_varied(scene, secret, bounds);
    if (in_order && *in_order) return GentleInputs::sorted;
  }
  if (!agreed) return std::unexpected(std::move(agreed).error());
  return GentleInputs::all;
}

Attempt<bool> RepeatedCalls::agree_over_varied(const Scene& scene, std::uint64_t secret,
                                               const Bounds& bounds) {
  Contender& candidate = pair_.candidate();
  Contender* const reference = pair_.reference();
  const auto contents = candidate.contents();
  std::vector<std::span<const std::byte>> own;
  if (reference != nullptr) own = reference->contents();
  std::vector<tensor::Bytes> storage;
  const auto varied = varied_contents(scene, contents, {.early = secret, .late = ~secret}, storage);
  auto answered = agree_over(varied, bounds);
  auto restored = candidate.refill(contents, tensor::Poison{});
  if (restored && reference != nullptr) restored = reference->refill(own, tensor::Poison{});
  if (answered && !restored) return std::unexpected(std::move(restored).error());
  return answered;
}

Attempt<bool> RepeatedCalls::agree_over(const std::vector<std::span<const std::byte>>& contents,
                                        const Bounds& bounds) {
  if (pair_.reference() == nullptr) {
    const auto judged = checking_.judge_over(contents, bounds);
    return judged.has_value() && is_finite(judged->candidate);
  }
  const auto expected = checking_.ask_reference(contents, bounds);
  if (!expected || !is_finite(expected->answer.answer())) return false;
  auto judged = checking_.judge_over(contents, *expected, bounds);
  if (!judged) return std::unexpected(std::move(judged).error());
  if (!judged->wrong) return true;
  judged->wrong->reason +=
      ". This was over the request's inputs with a quarter of their elements "
      "halved";
  return std::unexpected(Setback(Fate{*std::move(judged->wrong), {}}));
}

Attempt<bool> RepeatedCalls::prove(const TimedContender& candidate, const Bounds& bounds) {
  const std::vector<SeenRound>& rounds = candidate.rounds();
  std::size_t bytes = 0;
  for (const ArmedInput& input : candidate.seat().command().inputs) bytes += input.size;
  std::random_device random;
  const int calls = bytes > kLargeBytes ? kLargeCalls : kCalls;
  for (int i = 0; i < calls; ++i) {
    const SeenRound& round = rounds[random() % rounds.size()];
    auto proven = prove_call(candidate, round, random() % round.entries.size(), bounds);
    if (!proven || !*proven) return proven;
  }
  return true;
}

Attempt<void> RepeatedCalls::judge_last(const TimedContender& candidate, const Answer& answer,
                                        const Bounds& bounds) {
  const SeenRound& round = candidate.rounds().back();
  if (auto swept = must_have_swept(candidate, round); !swept) {
    return std::unexpected(std::move(swept).error());
  }
  if (fingerprint_of(answer, round.key) != round.entries.back().outputs) {
    return tampered("timed_runs_differ",
                    "the answer that was handed over is not the one that the last timed call "
                    "left behind");
  }
  std::vector<tensor::Bytes> storage;
  const auto contents = candidate.contents_in(round, round.entries.size() - 1, storage);
  auto wrong = checking_.judge_given(answer, contents, bounds);
  if (!wrong) return std::unexpected(std::move(wrong).error());
  if (!*wrong) return {};
  return tampered("timed_runs_differ",
                  "A timed call gave another answer than the checked ones: " + reason_of(**wrong));
}

Attempt<void> RepeatedCalls::answer_unseen_inputs(const Bounds& bounds) {
  if (pair_.reference() == nullptr) return {};
  checking_.keep_last_inputs();
  for (int call = 0; call < kUnseenCalls; ++call) {
    auto inputs = checking_.fresh_inputs(call, nullptr, bounds);
    if (!inputs) return std::unexpected(std::move(inputs).error());
    auto judged = checking_.judge_fresh(**inputs, bounds);
    if (!judged) return std::unexpected(std::move(judged).error());
    if (!judged->wrong) continue;
    auto before = checking_.compare_with_last(judged->candidate, bounds);
    if (!before) return std::unexpected(std::move(before).error());
    if (!*before) {
      return tampered("timed_runs_differ",
                      "After it was timed, the kernel gave an answer that it had kept: " +
                          judged->wrong->reason);
    }
    judged->wrong->reason += ". This was over inputs made after timing";
    return std::unexpected(Setback(Fate{*std::move(judged->wrong), {}}));
  }
  return {};
}

Attempt<bool> RepeatedCalls::prove_call(const TimedContender& candidate, const SeenRound& round,
                                        std::size_t call, const Bounds& bounds) {
  if (auto swept = must_have_swept(candidate, round); !swept) {
    return std::unexpected(std::move(swept).error());
  }
  std::vector<tensor::Bytes> storage;
  const auto contents = candidate.contents_in(round, call, storage);
  std::vector<std::uint64_t> fingerprints;
  // Once more where they differ: a kernel may give other bits each time, and be right.
  while (fingerprints.size() < 3) {
    auto judged = checking_.judge_over(contents, bounds);
    if (!judged) return std::unexpected(std::move(judged).error());
    if (judged->wrong) {
      judged->wrong->reason += ". This was over the inputs of a timed call";
      return std::unexpected(Setback(Fate{*std::move(judged->wrong), {}}));
    }
    fingerprints.push_back(fingerprint_of(judged->candidate, round.key));
    if (fingerprints.back() == round.entries[call].outputs) return true;
  }
  if (std::ranges::adjacent_find(fingerprints, std::not_equal_to<>()) != fingerprints.end()) {
    return false;
  }
  return tampered("timed_runs_differ",
                  "a timed call left another answer behind than the same call gives when it is "
                  "made again over the same inputs");
}

}  // namespace assay::eval
