#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/processor_use.hpp"
#include "base/result.hpp"
#include "eval/answer.hpp"
#include "eval/input_set.hpp"
#include "eval/outside_clock.hpp"
#include "eval/payload.hpp"
#include "eval/runner.hpp"
#include "model/kernel_resources.hpp"
#include "model/runner_protocol.hpp"
#include "tensor/arena.hpp"

namespace assay::eval {

/// What one round's inputs are made from.
struct RoundInputs {
  InputSet& generated;  // for contracts
  std::uint64_t secret = 0;
  int round = 1;
  tensor::Poison blank{};          // for outputs; of runs that are compared no two have the same
  const Payload* given = nullptr;  // what a kernel's own get_inputs gave
  bool staged = false;             // for timed runs alone: see Buffers::fill
};

/// One of the two kernels in an evaluation: its runner, its buffers, and the checks that need no
/// other kernel.
class Contender {
 public:
  Contender() = default;
  Contender(const Contender&) = delete;
  Contender& operator=(const Contender&) = delete;
  Contender(Contender&&) = delete;
  Contender& operator=(Contender&&) = delete;
  virtual ~Contender() = default;

  /// Writes the round's inputs and poisons what the kernel must fill.
  [[nodiscard]] virtual Attempt<void> fill(const RoundInputs& inputs, const Bounds& bounds) = 0;
  /// What each tensor was last filled with, in the order of its tensor arguments; empty: poison.
  [[nodiscard]] virtual std::vector<std::span<const std::byte>> contents() const = 0;
  /// Fills the same tensors with other bytes, which must stay as they are until the next fill.
  [[nodiscard]] virtual Attempt<void> refill(std::vector<std::span<const std::byte>> contents,
                                             const tensor::Poison& blank) = 0;
  /// One run; then finds out whether it wrote where it must not.
  [[nodiscard]] virtual Attempt<void> run(const Bounds& bounds) = 0;
  /// Runs ahead of timed ones, over the inputs that are there already. Nobody reads their answers,
  /// or looks where they wrote: what is filled in next repairs everything.
  [[nodiscard]] virtual Attempt<void> warm(int calls, const Bounds& bounds) = 0;
  /// Timed runs over the buffers as they are; outputs are poisoned before.
  [[nodiscard]] virtual Attempt<std::vector<double>> time(int samples, const Bounds& bounds) = 0;
  /// Tells the next timed calls apart from others over the same inputs; see Buffers::exchange.
  [[nodiscard]] virtual Result<void> exchange_elements(std::uint64_t seed) = 0;
  [[nodiscard]] virtual Result<void> give_back_elements() = 0;
  /// What must stand around its calls where they are timed from outside.
  [[nodiscard]] virtual Scene scene() const = 0;
  /// Rounds behind the gate: the runner's part. The descriptors stay the caller's.
  [[nodiscard]] virtual Attempt<void> arm(const ArmCommand& command,
                                          std::span<const int> descriptors,
                                          const Bounds& bounds) = 0;
  [[nodiscard]] virtual Attempt<Rounded> round(const RoundCommand& command,
                                               const Bounds& bounds) = 0;
  /// How long a caller waits who has nothing queued, by the runner's clock.
  [[nodiscard]] virtual Attempt<std::vector<double>> host_time(std::uint32_t calls,
                                                               const Bounds& bounds) = 0;
  /// What the GPU's own records tell of a round.
  [[nodiscard]] virtual Attempt<Traced> trace(const TraceCommand& command,
                                              const Bounds& bounds) = 0;
  /// One call over the buffers as they are, inside a range that a profiler around the runner looks
  /// for. Nobody reads its answer.
  [[nodiscard]] virtual Attempt<void> profile(const ProfileCommand& command,
                                              const Bounds& bounds) = 0;
  /// Calls over the same buffers, whose counters the runner reads. Not where it also runs code of
  /// the submission's on the host.
  [[nodiscard]] virtual Attempt<Counted> count(const CountCommand& command, const Bounds& bounds);
  /// What the last run, timed or not, gave; valid until the next.
  [[nodiscard]] virtual Attempt<Answer> answer(const Bounds& bounds) = 0;

  /// The last answer was copied, or is not needed. Much memory may be freed.
  virtual void release_answer() = 0;

  /// What it takes of a GPU, where that is known.
  [[nodiscard]] virtual std::optional<KernelResources> resources() const { return std::nullopt; }
  [[nodiscard]] virtual std::size_t restored_bytes() const = 0;
  [[nodiscard]] virtual std::optional<std::chrono::nanoseconds> cpu_time() const = 0;
  /// See Runner::processor_use.
  [[nodiscard]] virtual std::optional<ProcessorUse> processor_use() const = 0;
  /// Has its runner stand still while the other is timed; see Runner::pause.
  [[nodiscard]] virtual Result<void> pause() = 0;
  virtual void resume() = 0;
};

/// A kernel whose processes cannot be stopped has tampered; `until_when` ends the sentence.
[[nodiscard]] Attempt<void> stopped(Result<void> paused, std::string_view until_when);

/// The times as they came, if there are as many as were asked for.
[[nodiscard]] Attempt<std::vector<double>> counted(std::vector<double> times, int asked);

}  // namespace assay::eval
