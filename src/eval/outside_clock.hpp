#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include <device_code/scene.hpp>

#include "base/result.hpp"
#include "model/device_state.hpp"
#include "model/runner_protocol.hpp"

namespace assay::eval {

/// An input of a kernel that is to be timed.
struct SceneInput {
  std::span<const std::byte> bytes;  // its contents, which every call varies
  std::size_t offset = 0;            // in the kernel's arena
  InputVariation how = InputVariation::copied;
  bool gentle = false;  // only its last bits may differ from call to call
  bool sorted = false;  // its rows are in order, and a kernel may rely on it
};

/// What stands around every timed call of one kernel.
struct Scene {
  std::vector<SceneInput> inputs;
  std::vector<ArenaPoison> blanks;
  std::vector<ArmedOutput> outputs;  // where the kernel answers in its arguments
  bool sweeps = true;                // nothing is left in the cache before a call
  bool graph = false;                // calls are launches of a graph
};

/// A tensor of an answer.
struct OutputShape {
  std::uint64_t count = 0;
  std::uint32_t element_size = 1;
  friend bool operator==(const OutputShape&, const OutputShape&) = default;
};

/// A round as the worker saw it.
struct SeenRound {
  double wall_ns = 0;  // from the gate's opening to the end of the last call
  std::uint64_t key = 0;
  std::vector<scene::Entry> entries;  // one a call
};

/// What rounds take that hold no calls.
struct SceneCost {
  double call_ns = 0;   // what stands around each call
  double round_ns = 0;  // what comes once: until the gate's opening is seen, and the end
};

/// Why a round has no time.
enum class NoTime : std::uint8_t {
  not_queued,  // its calls wait for the GPU themselves: the gate was opened for them to end
  unfinished,  // the runner answered, or the bounds ended, before the GPU said that it was through
  forged,      // the proof does not fit what the calls left behind
};

using Attended = std::variant<SeenRound, NoTime>;

/// One kernel's place at the clock.
class Seat {
 public:
  Seat() = default;
  Seat(const Seat&) = delete;
  Seat& operator=(const Seat&) = delete;
  Seat(Seat&&) = delete;
  Seat& operator=(Seat&&) = delete;
  virtual ~Seat() = default;

  /// What the runner must be told, and given.
  [[nodiscard]] virtual const ArmCommand& command() const = 0;
  [[nodiscard]] virtual std::vector<int> descriptors() const = 0;
  /// The worker's part in a round that a runner was asked for. Waits for its calls to be queued,
  /// for `patience` at most. Then opens the gate, and takes the time. `answered` says that the
  /// runner has replied, or that nobody waits any longer.
  [[nodiscard]] virtual Result<Attended> attend(const RoundCommand& round,
                                                std::chrono::nanoseconds patience,
                                                const std::function<bool()>& answered) = 0;
  /// Whether this GPU gets the same sums when it sweeps the cache.
  [[nodiscard]] virtual Result<bool> sweeps_are_true(const SeenRound& round) = 0;
  /// How long the scene takes by itself, with answers of these shapes.
  [[nodiscard]] virtual Result<SceneCost> scene_cost(std::span<const OutputShape> outputs) = 0;
};

/// A clock in a process that runs none of the submitted code.
class OutsideClock {
 public:
  OutsideClock() = default;
  OutsideClock(const OutsideClock&) = delete;
  OutsideClock& operator=(const OutsideClock&) = delete;
  OutsideClock(OutsideClock&&) = delete;
  OutsideClock& operator=(OutsideClock&&) = delete;
  virtual ~OutsideClock() = default;

  /// Fails with `resource_exhausted` where the device has no memory left for it.
  [[nodiscard]] virtual Result<std::unique_ptr<Seat>> take_seat(const Scene& scene) = 0;
  /// How long a launch that does nothing takes where launches are quickest, in nanoseconds. The
  /// launches of one process take up to 0.3 us longer for as long as it lives, depending on where
  /// its queue lies.
  [[nodiscard]] virtual double launch_ns() const = 0;
  /// How long writing so many bytes takes at least; 0 if the cache may keep them.
  [[nodiscard]] virtual double least_ns_to_write(std::size_t bytes) const = 0;
  /// How the device is; nothing where it does not say.
  [[nodiscard]] virtual std::optional<DeviceState> state() const = 0;
  /// Whether the device does nothing at this moment.
  [[nodiscard]] virtual bool device_is_idle() = 0;
};

}  // namespace assay::eval
