#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "device/gpu_files.hpp"
#include "eval/runner.hpp"
#include "model/device_info.hpp"
#include "model/kernel_resources.hpp"
#include "model/runner_protocol.hpp"
#include "process/frame_channel.hpp"
#include "process/jail_support.hpp"
#include "process/processor_wait.hpp"
#include "process/subprocess.hpp"
#include "worker/runner_output.hpp"

namespace assay::worker {

/// What every runner of this worker may use.
struct RunnerOptions {
  process::Limits limits;
  std::string executable;  // our own, which holds the runner too
  DeviceInfo device{};     // what they run on
  device::GpuFiles gpu_files{};
};

/// A program that starts the runner and watches it, in the same jail.
struct Profiler {
  std::vector<std::string> argv;     // before the runner's own words
  std::vector<process::Bind> binds;  // what it needs to see, and where it writes
  std::vector<std::string> environment{};
  process::KeptCapability kept = process::KeptCapability::none;
  std::optional<Deadline> start_by{};  // by when the runner must be ready
};

/// Puts the profiler before a jailed command, and gives the jail what profilers need.
void put_before(const Profiler& profiler, process::Command& command);

/// A runner in a jailed process of its own, spoken to over a frame channel.
class RunnerProcess final : public eval::Runner {
 public:
  /// On a GPU, returns when its context is made; `unavailable` where it cannot be.
  [[nodiscard]] static Result<std::unique_ptr<RunnerProcess>> spawn(
      const RunnerOptions& options, const process::JailSupport& support,
      const Profiler* profiler = nullptr);

  [[nodiscard]] eval::Attempt<void> load(const BuiltKernel& kernel,
                                         const eval::Bounds& bounds) override;
  [[nodiscard]] eval::Attempt<std::optional<KernelResources>> bind(
      const LaunchPlan& plan, int arena_fd, std::size_t arena_size,
      const eval::Bounds& bounds) override;
  [[nodiscard]] eval::Attempt<void> run(const eval::Bounds& bounds) override;
  [[nodiscard]] eval::Attempt<void> warm(int calls, const eval::Bounds& bounds) override;
  [[nodiscard]] eval::Attempt<std::vector<double>> time(int samples,
                                                        const eval::Bounds& bounds) override;

  [[nodiscard]] eval::Attempt<void> arm(const ArmCommand& command, std::span<const int> descriptors,
                                        const eval::Bounds& bounds) override;
  [[nodiscard]] eval::Attempt<Rounded> round(const RoundCommand& command,
                                             const eval::Bounds& bounds) override;
  [[nodiscard]] eval::Attempt<std::vector<double>> host_time(std::uint32_t calls,
                                                             const eval::Bounds& bounds) override;
  [[nodiscard]] eval::Attempt<Traced> trace(const TraceCommand& command,
                                            const eval::Bounds& bounds) override;
  [[nodiscard]] eval::Attempt<void> profile(const ProfileCommand& command,
                                            const eval::Bounds& bounds) override;
  [[nodiscard]] eval::Attempt<Counted> count(const CountCommand& command,
                                             const eval::Bounds& bounds) override;

  [[nodiscard]] std::optional<std::chrono::nanoseconds> cpu_time() const override;
  [[nodiscard]] std::optional<ProcessorUse> processor_use() const override;
  [[nodiscard]] Result<void> pause() override;
  void resume() override;

  /// Ends the process instead of this object's destructor, because a context takes long to die.
  using Undertaker = std::function<void(process::Subprocess)>;
  void leave_to(Undertaker undertaker) { undertaker_ = std::move(undertaker); }
  /// The same without a kill. Without its channel the process ends by itself, and then the profiler
  /// around it.
  void let_end(Undertaker undertaker) {
    undertaker_ = std::move(undertaker);
    ends_by_itself_ = true;
  }
  /// The end of what it printed.
  [[nodiscard]] std::string printed() const { return output_.tail(); }
  ~RunnerProcess() override;
  RunnerProcess(const RunnerProcess&) = delete;
  RunnerProcess& operator=(const RunnerProcess&) = delete;
  RunnerProcess(RunnerProcess&&) = delete;
  RunnerProcess& operator=(RunnerProcess&&) = delete;

  /// False once the process has ended: a runner that died while waiting must not be handed out.
  [[nodiscard]] bool alive();

 private:
  RunnerProcess(DeviceKind device, process::Subprocess process, process::FrameChannel channel,
                RunnerOutput output)
      : device_(device),
        process_(std::move(process)),
        channel_(std::move(channel)),
        output_(std::move(output)) {}
  [[nodiscard]] Result<void> await_context(const Deadline& deadline);
  /// The pid of the runner itself, the one child of its jail's init; 0 if it is gone.
  [[nodiscard]] int runner_pid() const;

  [[nodiscard]] eval::Attempt<RunnerReply> call(const RunnerCommand& command,
                                                std::span<const int> descriptors,
                                                const eval::Bounds& bounds);
  [[nodiscard]] eval::Attempt<void> expect_done(eval::Attempt<RunnerReply> reply) const;

  DeviceKind device_;
  process::Subprocess process_;
  process::FrameChannel channel_;
  RunnerOutput output_;
  bool paused_ = false;
  Undertaker undertaker_;
  bool ends_by_itself_ = false;
};

}  // namespace assay::worker
