#include "eval/timed_contender.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include <device_code/scene.hpp>

#include "eval/answer.hpp"
#include "eval/contender.hpp"
#include "eval/outside_clock.hpp"
#include "eval/runner.hpp"
#include "gate/scene_check.hpp"
#include "judge/compare.hpp"
#include "model/dtype.hpp"
#include "model/runner_protocol.hpp"
#include "model/verdict.hpp"
#include "tensor/bytes.hpp"
#include "timing/statistics.hpp"

namespace assay::eval {
namespace {

constexpr std::uint32_t kFewestWarmups = 3;
// A stream holds about a thousand launches; past that queueing waits for the GPU.
constexpr double kQueue = 800;
constexpr double kFastestLaunchOfHost =
    3000;  // ns; Python's take longer, so this overstates their number
constexpr std::chrono::milliseconds kPatience{150};
constexpr std::chrono::seconds kTracerStart{5};
constexpr std::chrono::hours kForEver{1};
constexpr double kVariedEnough = 0.5;

std::unexpected<Setback> forged(std::string reason) {
  return tampered("clock", std::move(reason));
}

}  // namespace

std::vector<judge::OutputView> tensors_of_answer(const Answer& answer) {
  std::vector<judge::OutputView> tensors;
  for (const std::size_t i : answer.tensors) {
    if (!answer.views[i].bytes.empty()) tensors.push_back(answer.views[i]);
  }
  return tensors;
}

std::size_t bytes_written_by(const Answer& answer) {
  std::size_t bytes = 0;
  for (const judge::OutputView& view : tensors_of_answer(answer)) {
    if (!view.is_input) bytes += view.bytes.size();
  }
  return bytes;
}

std::vector<std::span<const std::byte>> varied_contents(
    const Scene& scene, std::vector<std::span<const std::byte>> contents, gate::Seeds seeds,
    std::vector<tensor::Bytes>& storage) {
  storage.clear();
  storage.reserve(scene.inputs.size());
  for (const SceneInput& input : scene.inputs) {
    const auto bytes = storage.emplace_back(input.bytes.size()).span();
    const auto strength = input.gentle ? scene::Strength::gentle : scene::Strength::strong;
    gate::vary(input.how, strength, input.bytes, bytes, seeds);
    for (auto& content : contents) {
      if (!content.empty() && content.data() == input.bytes.data()) content = bytes;
    }
  }
  return contents;
}

void make_gentle(Scene& scene, GentleInputs which) {
  for (SceneInput& input : scene.inputs) {
    input.gentle = which == GentleInputs::all || (which == GentleInputs::sorted && input.sorted);
  }
}

Attempt<std::unique_ptr<TimedContender>> TimedContender::create(Contender& contender,
                                                                OutsideClock& clock,
                                                                const SceneChoice& choice,
                                                                const Bounds& bounds) {
  auto answer = contender.answer(bounds);
  if (!answer) return std::unexpected(std::move(answer).error());
  std::unique_ptr<TimedContender> timed(new TimedContender(contender, contender.scene()));
  make_gentle(timed->scene_, choice.gentle);
  timed->scene_.sweeps = choice.sweeps;
  timed->scene_.graph = choice.graph;
  for (const judge::OutputView& view : tensors_of_answer(*answer)) {
    const std::size_t element = size_of(view.dtype);
    timed->outputs_.push_back({.count = view.bytes.size() / element,
                               .element_size = static_cast<std::uint32_t>(element)});
  }
  timed->written_bytes_ = bytes_written_by(*answer);
  for (const SceneInput& input : timed->scene_.inputs) {
    if (gate::varied_part(input.how, input.bytes) < kVariedEnough) continue;
    timed->varied_ = true;
    timed->varied_strongly_ = timed->varied_strongly_ || !input.gentle;
  }
  auto seat = clock.take_seat(timed->scene_);
  if (!seat) return std::unexpected(std::move(seat).error());
  timed->seat_ = *std::move(seat);
  auto armed = contender.arm(timed->seat_->command(), timed->seat_->descriptors(), bounds);
  if (!armed) return std::unexpected(std::move(armed).error());
  return timed;
}

template <class Reply>
Attempt<std::pair<Reply, Attended>> TimedContender::attend(std::uint32_t calls, bool events,
                                                           std::chrono::nanoseconds patience,
                                                           const Ask<Reply>& ask) {
  const RoundCommand command{.number = ++number_, .calls = calls, .held = held_, .events = events};
  auto pending = std::async(std::launch::async, [&ask, &command] { return ask(command); });
  const auto answered = [&pending] {
    return pending.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  };
  auto seen = seat_->attend(command, held_ ? patience : kForEver, answered);
  auto reply = pending.get();
  if (!reply) return std::unexpected(std::move(reply).error());
  if (!seen) return std::unexpected(std::move(seen).error());
  return std::pair(*std::move(reply), *std::move(seen));
}

Attempt<std::optional<SeenRound>> TimedContender::round(std::uint32_t calls, bool events,
                                                        Rounded& claims, const Bounds& bounds) {
  auto done = attend<Rounded>(calls, events, patience_, [&](const RoundCommand& command) {
    return contender_.round(command, bounds);
  });
  if (!done) return std::unexpected(std::move(done).error());
  claims = std::move(done->first);
  Attended& seen = done->second;
  if (auto* whole = std::get_if<SeenRound>(&seen)) return std::move(*whole);
  switch (std::get<NoTime>(seen)) {
    case NoTime::not_queued:
      break;
    case NoTime::unfinished:
      return forged("the runner said that timed calls were through before the GPU was");
    case NoTime::forged:
      return forged("the proof of the timed calls does not fit what they left behind");
  }
  return std::nullopt;
}

std::uint32_t TimedContender::most_calls(double queue_ns) const {
  const auto ours =
      static_cast<double>(4 + 2 * scene_.inputs.size() + scene_.blanks.size() + outputs_.size());
  const double launches = queue_ns / kFastestLaunchOfHost + ours;
  return static_cast<std::uint32_t>(
      std::clamp(kQueue / launches, 1.0, static_cast<double>(scene::kMostCalls - 1)));
}

Attempt<void> TimedContender::settle(int warmup, const Bounds& bounds) {
  held_ = false;
  Rounded claims;
  const auto calls = std::clamp(static_cast<std::uint32_t>(std::max(warmup, 0)), kFewestWarmups,
                                scene::kMostCalls);
  if (auto warm = round(calls, false, claims, bounds); !warm) {
    return std::unexpected(std::move(warm).error());
  }
  const double queue = timing::median_of(claims.queue_ns);
  most_calls_ = most_calls(queue);
  patience_ = kPatience + std::chrono::nanoseconds(static_cast<std::int64_t>(
                              std::clamp(queue, 0.0, 1e9) * 10 * (most_calls_ + 1)));
  held_ = true;
  auto trial = round(1, false, claims, bounds);
  if (!trial) return std::unexpected(std::move(trial).error());
  held_ = trial->has_value();
  return {};
}

Attempt<SeenRound> TimedContender::certain_round(std::uint32_t& calls, const Bounds& bounds) {
  Rounded claims;
  while (true) {
    auto seen = round(calls, false, claims, bounds);
    if (!seen) return std::unexpected(std::move(seen).error());
    if (seen->has_value()) return **std::move(seen);
    // More than the stream holds, or a call that waits only now and then.
    if (calls > 2) {
      calls = std::max(calls / 2, 2U);
      most_calls_ = calls - 1;
    } else {
      held_ = false;
    }
  }
}

Attempt<void> TimedContender::look_from_outside(int calls, timing::OutsideRounds& seen,
                                                const Bounds& bounds) {
  std::uint32_t one = 1;
  std::uint32_t many = 1 + std::min(static_cast<std::uint32_t>(std::max(calls, 1)), most_calls_);
  for (int i = 0; i < 2; ++i) {
    auto few = certain_round(one, bounds);
    if (!few) return std::unexpected(std::move(few).error());
    auto more = certain_round(many, bounds);
    if (!more) return std::unexpected(std::move(more).error());
    seen.add({.short_ns = {few->wall_ns}, .long_ns = {more->wall_ns}, .apart = many - one});
    rounds_.push_back(*std::move(more));
  }
  return {};
}

Attempt<void> TimedContender::add_round(std::uint32_t calls, timing::OutsideRounds& seen,
                                        const Bounds& bounds) {
  const bool is_long = calls > 1;
  if (is_long) calls = 1 + std::min(calls - 1, most_calls_);
  auto round = certain_round(calls, bounds);
  if (!round) return std::unexpected(std::move(round).error());
  if (is_long && seen.apart != calls - 1) {
    seen.long_ns.clear();
    seen.apart = calls - 1;
  }
  (is_long ? seen.long_ns : seen.short_ns).push_back(round->wall_ns);
  rounds_.push_back(*std::move(round));
  return {};
}

Attempt<Rounded> TimedContender::claims(int calls, const Bounds& bounds) {
  Rounded claims;
  auto seen = round(std::min(static_cast<std::uint32_t>(std::max(calls, 1)), most_calls_), true,
                    claims, bounds);
  if (!seen) return std::unexpected(std::move(seen).error());
  if (!seen->has_value()) claims.event_ns.clear();  // they were not queued in time
  if (seen->has_value()) rounds_.push_back(**std::move(seen));
  return claims;
}

Attempt<Traced> TimedContender::trace(int calls, const Bounds& bounds) {
  const auto most = std::min(static_cast<std::uint32_t>(std::max(calls, 1)), most_calls_);
  auto done = attend<Traced>(most, false, patience_ + kTracerStart, [&](const RoundCommand& round) {
    return contender_.trace(TraceCommand{round}, bounds);
  });
  if (!done) return std::unexpected(std::move(done).error());
  return std::move(done->first);
}

std::vector<std::span<const std::byte>> TimedContender::contents_in(
    const SeenRound& round, std::size_t call, std::vector<tensor::Bytes>& storage) const {
  const std::uint64_t before = call == 0 ? 0 : round.entries[call - 1].outputs;
  return varied_contents(
      scene_, base_,
      {.early = scene::early_seed(round.key, static_cast<scene::Word>(call), before),
       .late = scene::late_seed(round.key, round.entries[call])},
      storage);
}

}  // namespace assay::eval
