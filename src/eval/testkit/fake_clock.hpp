#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <device_code/scene.hpp>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/result.hpp"
#include "eval/outside_clock.hpp"
#include "model/device_state.hpp"
#include "model/runner_protocol.hpp"

namespace assay::eval::testkit {

inline constexpr double kFakeScene = 50e3;  // ns
inline constexpr double kFakeGate = 10e3;   // ns, to open it and to see the end
inline constexpr double kFakeLaunch = 2e3;  // ns, of a launch that does nothing

/// What a fake seat and the fake runner that sits there both know.
struct FakeGate {
  Scene scene;
  std::uint64_t key = 0x1234567890ABCDEF;
  std::vector<scene::Entry> entries;
  double call_ns = 20e3;  // what the worker's clock will see of one call
  double scene_ns = kFakeScene;
  double launch_ns = kFakeLaunch;
  std::size_t launches = 1;
  std::string trace_missing;
  std::vector<double>
      late_by;  // ns, of the long rounds to come: another process has the GPU meanwhile
  double short_late_by = 0;  // ns, of every round of one call
  std::function<void()> on_round;
  std::function<void()> on_scene;  // is measured
};

class FakeSeat final : public Seat {
 public:
  FakeSeat(FakeGate& gate, const bool& can_be_queued) : gate_(gate), can_be_queued_(can_be_queued) {
    for (const SceneInput& input : gate.scene.inputs) {
      command_.inputs.push_back({.to = input.offset, .size = input.bytes.size(), .how = input.how});
    }
  }

  [[nodiscard]] const ArmCommand& command() const override { return command_; }
  [[nodiscard]] std::vector<int> descriptors() const override { return {}; }
  [[nodiscard]] Result<Attended> attend(const RoundCommand& round, std::chrono::nanoseconds,
                                        const std::function<bool()>& answered) override {
    if (gate_.on_round) gate_.on_round();
    while (!answered()) std::this_thread::yield();
    if (round.held && !can_be_queued_) return NoTime::not_queued;
    double late = 0;
    if (round.calls > 1 && !gate_.late_by.empty()) {
      late = gate_.late_by.back();
      gate_.late_by.pop_back();
    }
    if (round.calls == 1) late = gate_.short_late_by;
    return SeenRound{.wall_ns = kFakeGate + round.calls * (gate_.scene_ns + gate_.call_ns) + late,
                     .key = gate_.key,
                     .entries = gate_.entries};
  }
  [[nodiscard]] Result<bool> sweeps_are_true(const SeenRound&) override { return true; }
  [[nodiscard]] Result<SceneCost> scene_cost(std::span<const OutputShape>) override {
    if (gate_.on_scene) gate_.on_scene();
    return SceneCost{.call_ns = gate_.scene_ns, .round_ns = kFakeGate};
  }

 private:
  FakeGate& gate_;
  const bool& can_be_queued_;
  ArmCommand command_;
};

/// Hands out seats at the gates of fake runners, in the order in which they are added.
class FakeClock final : public OutsideClock {
 public:
  explicit FakeClock(ManualClock& clock) : clock_(clock) {}

  bool can_be_queued = true;
  bool is_idle = true;
  std::size_t room = 2;  // for so many seats
  std::optional<DeviceState> device_state;
  double least_ns = 0;
  std::vector<FakeGate*> gates;

  [[nodiscard]] Result<std::unique_ptr<Seat>> take_seat(const Scene& scene) override {
    if (taken_ >= room) return fail(ErrorCode::resource_exhausted, "no memory is left");
    FakeGate& gate = *gates.at(taken_++);
    gate.scene = scene;
    return std::make_unique<FakeSeat>(gate, can_be_queued);
  }
  [[nodiscard]] double launch_ns() const override { return kFakeLaunch; }
  [[nodiscard]] double least_ns_to_write(std::size_t) const override { return least_ns; }
  [[nodiscard]] std::optional<DeviceState> state() const override { return device_state; }
  [[nodiscard]] bool device_is_idle() override {
    clock_.advance(std::chrono::milliseconds(100));
    return is_idle;
  }

 private:
  ManualClock& clock_;
  std::size_t taken_ = 0;
};

}  // namespace assay::eval::testkit
