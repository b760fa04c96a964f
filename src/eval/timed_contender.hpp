#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "eval/answer.hpp"
#include "eval/contender.hpp"
#include "eval/outside_clock.hpp"
#include "eval/runner.hpp"
#include "gate/scene_check.hpp"
#include "judge/compare.hpp"
#include "model/runner_protocol.hpp"
#include "tensor/bytes.hpp"
#include "timing/outside_time.hpp"

namespace assay::eval {

/// The tensors of an answer, in the order in which they are fingerprinted.
[[nodiscard]] std::vector<judge::OutputView> tensors_of_answer(const Answer& answer);

/// How many bytes of an answer each call writes at least. What lies in an input may be its view.
[[nodiscard]] std::size_t bytes_written_by(const Answer& answer);

/// What tensors hold in one call: `contents`, with the scene's inputs varied by the seeds. Valid as
/// long as `storage`.
[[nodiscard]] std::vector<std::span<const std::byte>> varied_contents(
    const Scene& scene, std::vector<std::span<const std::byte>> contents, gate::Seeds seeds,
    std::vector<tensor::Bytes>& storage);

/// Which inputs vary from call to call in their last bits alone.
enum class GentleInputs : std::uint8_t { none, sorted, all };

/// Marks them.
void make_gentle(Scene& scene, GentleInputs which);

struct SceneChoice {
  GentleInputs gentle = GentleInputs::none;
  bool sweeps = true;  // nothing is left in the cache
  bool graph = false;  // calls are launches of a graph
};

/// A contender whose calls are timed by a clock outside its runner.
class TimedContender {
 public:
  /// Gives the contender a seat at the clock. It must have answered once; both outlive this.
  [[nodiscard]] static Attempt<std::unique_ptr<TimedContender>> create(Contender& contender,
                                                                       OutsideClock& clock,
                                                                       const SceneChoice& choice,
                                                                       const Bounds& bounds);

  /// Calls it until it has compiled and loaded all it needs. Finds out whether its calls can be
  /// queued, and how many at once.
  [[nodiscard]] Attempt<void> settle(int warmup, const Bounds& bounds);
  /// Adds two short rounds and two long ones, which differ by `calls`. The scene is in them.
  [[nodiscard]] Attempt<void> look_from_outside(int calls, timing::OutsideRounds& seen,
                                                const Bounds& bounds);
  /// Adds one round: short if it has one call, long if more. It is among rounds() then.
  [[nodiscard]] Attempt<void> add_round(std::uint32_t calls, timing::OutsideRounds& seen,
                                        const Bounds& bounds);
  /// The runner's own times of `calls`, by events.
  [[nodiscard]] Attempt<Rounded> claims(int calls, const Bounds& bounds);

  /// What the GPU's own records tell of `calls`. Nothing else can be timed after it.
  [[nodiscard]] Attempt<Traced> trace(int calls, const Bounds& bounds);

  [[nodiscard]] Contender& contender() const { return contender_; }
  [[nodiscard]] Seat& seat() const { return *seat_; }
  [[nodiscard]] const std::vector<OutputShape>& outputs() const { return outputs_; }
  /// Of its answer.
  [[nodiscard]] std::size_t written_bytes() const { return written_bytes_; }
  /// False if its calls wait for the GPU themselves: its times then include the host's part.
  [[nodiscard]] bool is_held() const { return held_; }
  /// A call is the launch of a graph.
  [[nodiscard]] bool is_graph() const { return scene_.graph; }
  /// At least half of the elements of one input differ from call to call.
  [[nodiscard]] bool is_varied() const { return varied_; }
  /// Whether some of them differ by more than their last bits.
  [[nodiscard]] bool is_varied_strongly() const { return varied_strongly_; }
  /// The long rounds so far, and those that were added one by one.
  [[nodiscard]] const std::vector<SeenRound>& rounds() const { return rounds_; }
  /// What its tensors held in one call of a round. Valid as long as `storage`.
  [[nodiscard]] std::vector<std::span<const std::byte>> contents_in(
      const SeenRound& round, std::size_t call, std::vector<tensor::Bytes>& storage) const;

 private:
  TimedContender(Contender& contender, Scene scene)
      : contender_(contender), scene_(std::move(scene)), base_(contender.contents()) {}

  template <class Reply>
  using Ask = std::function<Attempt<Reply>(const RoundCommand&)>;
  /// Has the runner make a round, and sees it from outside.
  template <class Reply>
  [[nodiscard]] Attempt<std::pair<Reply, Attended>> attend(std::uint32_t calls, bool events,
                                                           std::chrono::nanoseconds patience,
                                                           const Ask<Reply>& ask);
  /// Nothing where its calls could not be queued.
  [[nodiscard]] Attempt<std::optional<SeenRound>> round(std::uint32_t calls, bool events,
                                                        Rounded& claims, const Bounds& bounds);
  /// The same, with fewer calls if so many cannot be queued.
  [[nodiscard]] Attempt<SeenRound> certain_round(std::uint32_t& calls, const Bounds& bounds);
  [[nodiscard]] std::uint32_t most_calls(double queue_ns) const;

  Contender& contender_;
  Scene scene_;
  std::vector<std::span<const std::byte>> base_;  // contents, as the calls vary them
  std::vector<OutputShape> outputs_;
  std::size_t written_bytes_ = 0;
  std::unique_ptr<Seat> seat_;
  bool held_ = true;
  bool varied_ = false;
  bool varied_strongly_ = false;
  std::uint32_t number_ = 0;  // of the last round
  std::uint32_t most_calls_ = 1;
  std::chrono::nanoseconds patience_{};
  std::vector<SeenRound> rounds_;
};

}  // namespace assay::eval
