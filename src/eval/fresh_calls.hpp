#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/clock.hpp"
#include "eval/answer.hpp"
#include "eval/blame.hpp"
#include "eval/checking.hpp"
#include "eval/contender.hpp"
#include "eval/pair.hpp"
#include "eval/runner.hpp"

namespace assay::eval {

/// Timed calls of both kernels, each over inputs that neither has seen. Which answers are compared
/// is chosen in secret. Half of the calls have inputs much like those of the call before, because
/// some kernels tell inputs apart by a few elements. So a kernel that answers from memory, or
/// leaves out work where it believes itself timed, gives wrong answers.
class FreshCalls {
 public:
  /// All must outlive this. Both kernels must have answered the last checked round.
  FreshCalls(Pair& pair, Checking& checking, Blame& blame, const Clock& clock);

  /// Makes the inputs of the next batch, over which both kernels will be timed. If making them
  /// takes too much time or memory, several calls share some, with a few elements exchanged.
  [[nodiscard]] Attempt<void> prepare(int samples, const Bounds& bounds);

  /// Has `timer` time that many calls over the inputs that the kernel has just been given.
  using Timer = std::function<Attempt<void>(int calls)>;
  /// Calls whose times do not count, over the inputs that the kernel had before.
  enum class Warming : std::uint8_t { none, before_batch, before_each_input };
  /// The batch of one kernel.
  [[nodiscard]] Attempt<void> time(Contender& contender, Warming warming, const Timer& timer,
                                   const Bounds& bounds);

  /// Call it after the batches of both. A kernel whose timed calls answer otherwise than its
  /// checked ones has tampered. One that is wrong over these inputs whenever it is asked gives a
  /// wrong answer.
  [[nodiscard]] Attempt<void> compare(const Bounds& bounds);

 private:
  struct Calls {
    std::unique_ptr<FreshInputs> inputs;
    int count = 1;
    bool chosen = false;
    std::optional<KeptAnswer> expected{};
    std::optional<KeptAnswer> given{};
  };
  [[nodiscard]] static Attempt<void> time_alike(Contender& contender, const Timer& timer,
                                                int calls);
  [[nodiscard]] bool are_affordable(std::size_t inputs) const;
  void choose();
  [[nodiscard]] Attempt<void> judge(const Calls& calls, const Bounds& bounds);
  struct Asked {
    bool right = false;
    KeptAnswer answer;
  };
  /// What the candidate answers now that nobody takes its time.
  [[nodiscard]] Attempt<Asked> ask_again(const RoundInputs& inputs, const Answer& expected,
                                         const Bounds& bounds);

  Pair& pair_;
  Checking& checking_;
  Blame& blame_;
  const Clock& clock_;
  std::size_t bytes_ = 0;  // of the inputs of one call
  std::vector<Calls> batch_;
  std::unique_ptr<FreshInputs> previous_;  // the last ones of the batch before
  int made_ = 0;                           // inputs so far
  std::chrono::nanoseconds spent_{};       // beside timed calls
};

}  // namespace assay::eval
