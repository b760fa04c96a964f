#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <utility>

#include <sys/types.h>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "eval/runner.hpp"
#include "model/python_zygote.hpp"
#include "process/cgroup_slot.hpp"
#include "process/exit_status.hpp"
#include "process/frame_channel.hpp"
#include "process/jail_profile.hpp"
#include "process/jail_support.hpp"
#include "process/processor_wait.hpp"

namespace assay::worker {

/// A runner that a zygote has forked, with the init above it (python/assay_runner/child.py). It is
/// no child of ours. We hold pidfds, and its init tells us how it ended.
class ForkedProcess {
 public:
  /// Answers the init that speaks on `control`, and puts it into a control group of its own.
  /// Returns when the runner below it is ready. Fails with `resource_exhausted` if the runner
  /// itself says that it cannot start. Fails with `unavailable` if nothing is heard of it, or as
  /// `bounds` say.
  [[nodiscard]] static Result<ForkedProcess> start(process::FrameChannel control,
                                                   const process::JailSupport& support,
                                                   const process::Limits& limits,
                                                   const eval::Bounds& bounds);
  ForkedProcess(ForkedProcess&&) noexcept = default;
  ForkedProcess& operator=(ForkedProcess&& other) noexcept;
  ForkedProcess(const ForkedProcess&) = delete;
  ForkedProcess& operator=(const ForkedProcess&) = delete;
  /// Kills it with all it started, and waits until all is gone.
  ~ForkedProcess();

  void kill() const;
  /// Waits until the runner has ended and all it had started is gone. Fails with
  /// `resource_exhausted` if it was ended from outside, with its zygote or by the system. A kernel
  /// cannot do that, because it cannot reach its init.
  [[nodiscard]] Result<process::ExitStatus> wait(const std::stop_token& stop, Deadline deadline);
  [[nodiscard]] bool alive() const;
  /// Processor time of the runner's process, all threads; nothing once it is gone.
  [[nodiscard]] std::optional<std::chrono::nanoseconds> cpu_time() const;
  [[nodiscard]] std::optional<ProcessorUse> processor_use() const;
  /// Stops the runner and all it started; see process/pause.hpp.
  [[nodiscard]] Result<void> pause() const;
  void resume() const;

 private:
  ForkedProcess(process::FrameChannel control, std::uint64_t memory_limit)
      : control_(std::move(control)), memory_limit_(memory_limit) {}
  [[nodiscard]] Result<void> confine(const process::JailSupport& support,
                                     const process::Limits& limits, const eval::Bounds& bounds);
  [[nodiscard]] Result<void> await_ready(const eval::Bounds& bounds);
  /// The next report, with the descriptor that comes with it where one must.
  [[nodiscard]] Result<std::pair<ForkReport, UniqueFd>> next_report(const eval::Bounds& bounds);
  void destroy();

  process::FrameChannel control_;
  std::uint64_t memory_limit_;
  UniqueFd init_;
  pid_t init_pid_ = -1;  // here and below: in our own pid namespace
  pid_t runner_ = -1;
  std::optional<process::CgroupSlot> slot_;
  std::optional<process::ExitStatus> status_;
};

}  // namespace assay::worker
