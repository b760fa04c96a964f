#pragma once

#include <chrono>
#include <cstdint>

namespace assay {

using SteadyTime = std::chrono::steady_clock::time_point;
/// Milliseconds since the Unix epoch, as stored and sent.
using WallTime = std::chrono::sys_time<std::chrono::milliseconds>;

/// Where time comes from. Everything that waits or stamps takes one, so tests never sleep.
class Clock {
 public:
  Clock() = default;
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;
  Clock(Clock&&) = delete;
  Clock& operator=(Clock&&) = delete;
  virtual ~Clock() = default;

  [[nodiscard]] virtual SteadyTime now() const = 0;
  [[nodiscard]] virtual WallTime wall_now() const = 0;
};

class SystemClock final : public Clock {
 public:
  [[nodiscard]] SteadyTime now() const override;
  [[nodiscard]] WallTime wall_now() const override;
};

/// A clock that moves only when told to.
class ManualClock final : public Clock {
 public:
  [[nodiscard]] SteadyTime now() const override { return SteadyTime(elapsed_); }
  [[nodiscard]] WallTime wall_now() const override {
    return WallTime(std::chrono::duration_cast<std::chrono::milliseconds>(elapsed_));
  }
  void advance(std::chrono::nanoseconds by) { elapsed_ += by; }

 private:
  std::chrono::nanoseconds elapsed_{};
};

/// A moment after which work must stop. Passed by value down a call chain.
class Deadline {
 public:
  Deadline(const Clock& clock, std::chrono::nanoseconds from_now)
      : clock_(&clock), at_(clock.now() + from_now) {}

  [[nodiscard]] bool expired() const { return clock_->now() >= at_; }
  /// Never negative.
  [[nodiscard]] std::chrono::nanoseconds remaining() const;
  [[nodiscard]] SteadyTime at() const { return at_; }

 private:
  const Clock* clock_;  // outlives every Deadline made from it
  SteadyTime at_;
};

}  // namespace assay
