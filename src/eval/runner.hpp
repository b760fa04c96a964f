#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/processor_use.hpp"
#include "base/result.hpp"
#include "eval/outside_clock.hpp"
#include "eval/shared_arena.hpp"
#include "model/extension.hpp"
#include "model/finding.hpp"
#include "model/kernel_resources.hpp"
#include "model/outcome.hpp"
#include "model/python_protocol.hpp"
#include "model/runner_protocol.hpp"
#include "model/verdict.hpp"

namespace assay::eval {

/// What became of a submission before its evaluation was through.
struct Fate {
  Verdict verdict;
  std::vector<Finding> findings;
};

/// Why a step was not done: the submission's doing, a failure of ours, or something that must be
/// built first. Running out of time is an Error (`deadline_exceeded`) here. The evaluation knows
/// whose fault it is.
using Setback = std::variant<Fate, Error, ExtensionsNeeded>;

template <class T>
using Attempt = std::expected<T, Setback>;

/// The setback of a submission that broke one of the rules against cheating (docs/judging.md).
[[nodiscard]] std::unexpected<Setback> tampered(std::string rule, std::string reason);

/// The rule that a kernel broke when it changed what it may only read.
inline constexpr std::string_view kInputModified = "input_modified";

/// What a step may take.
struct Bounds {
  Deadline deadline;
  std::stop_token stop;
};

/// One jailed process that runs one kernel. Nothing it says is believed in its favour.
class Runner {
 public:
  Runner() = default;
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;
  Runner(Runner&&) = delete;
  Runner& operator=(Runner&&) = delete;
  /// Kills the process and all it started.
  virtual ~Runner() = default;

  [[nodiscard]] virtual Attempt<void> load(const BuiltKernel& kernel, const Bounds& bounds) = 0;
  /// The descriptor stays the caller's. On a GPU, returns what the kernel takes of it.
  [[nodiscard]] virtual Attempt<std::optional<KernelResources>> bind(const LaunchPlan& plan,
                                                                     int arena_fd,
                                                                     std::size_t arena_size,
                                                                     const Bounds& bounds) = 0;
  [[nodiscard]] virtual Attempt<void> run(const Bounds& bounds) = 0;
  /// Runs ahead of timed ones, over what lies in the buffers.
  [[nodiscard]] virtual Attempt<void> warm(int calls, const Bounds& bounds) = 0;
  /// `samples` timed runs, in nanoseconds by the runner's own clock.
  [[nodiscard]] virtual Attempt<std::vector<double>> time(int samples, const Bounds& bounds) = 0;
  /// Timed rounds behind the worker's gate, where there is one. The descriptors stay the caller's.
  [[nodiscard]] virtual Attempt<void> arm(const ArmCommand& command,
                                          std::span<const int> descriptors, const Bounds& bounds);
  [[nodiscard]] virtual Attempt<Rounded> round(const RoundCommand& command, const Bounds& bounds);
  [[nodiscard]] virtual Attempt<std::vector<double>> host_time(std::uint32_t calls,
                                                               const Bounds& bounds);
  [[nodiscard]] virtual Attempt<Traced> trace(const TraceCommand& command, const Bounds& bounds);
  /// One call inside a range that a profiler around the process looks for.
  [[nodiscard]] virtual Attempt<void> profile(const ProfileCommand& command, const Bounds& bounds);
  /// Calls whose counters the runner reads.
  [[nodiscard]] virtual Attempt<Counted> count(const CountCommand& command, const Bounds& bounds);
  /// Processor time that its process has used so far, as the operating system counts it; nothing
  /// where unknown.
  [[nodiscard]] virtual std::optional<std::chrono::nanoseconds> cpu_time() const = 0;
  /// How long its threads have run so far, and how long they waited for a processor that others
  /// had; nothing where unknown.
  [[nodiscard]] virtual std::optional<ProcessorUse> processor_use() const { return std::nullopt; }
  /// Stops all its processes until resume() or the next command. So it can neither use nor load the
  /// device while another is timed. Not while a command is under way. Fails with
  /// `deadline_exceeded` if it starts processes faster than they can be stopped.
  [[nodiscard]] virtual Result<void> pause() { return {}; }
  virtual void resume() {}
};

/// One jailed Python process that runs one kernel.
class PythonRunner {
 public:
  PythonRunner() = default;
  PythonRunner(const PythonRunner&) = delete;
  PythonRunner& operator=(const PythonRunner&) = delete;
  PythonRunner(PythonRunner&&) = delete;
  PythonRunner& operator=(PythonRunner&&) = delete;
  /// Kills the process and all it started.
  virtual ~PythonRunner() = default;

  /// One command and its reply; a refusal comes back as its Fate. The descriptors stay the
  /// caller's.
  [[nodiscard]] virtual Attempt<PythonReply> call(const PythonCommand& command,
                                                  std::span<const int> descriptors,
                                                  const Bounds& bounds) = 0;
  [[nodiscard]] virtual std::optional<std::chrono::nanoseconds> cpu_time() const = 0;
  /// The same as Runner::processor_use.
  [[nodiscard]] virtual std::optional<ProcessorUse> processor_use() const { return std::nullopt; }
  [[nodiscard]] virtual Result<void> pause() { return {}; }
  virtual void resume() {}
};

class RunnerSource {
 public:
  RunnerSource() = default;
  RunnerSource(const RunnerSource&) = delete;
  RunnerSource& operator=(const RunnerSource&) = delete;
  RunnerSource(RunnerSource&&) = delete;
  RunnerSource& operator=(RunnerSource&&) = delete;
  virtual ~RunnerSource() = default;

  /// A runner that has never seen a submission.
  [[nodiscard]] virtual Result<std::unique_ptr<Runner>> fresh() = 0;
  /// The same for Python kernels, as soon as one is ready. Fails with `unavailable` if there is no
  /// Python. Fails with `resource_exhausted` if Python does not start: that says nothing of the
  /// device.
  [[nodiscard]] virtual Result<std::unique_ptr<PythonRunner>> fresh_python(
      const Bounds& bounds) = 0;
  /// An evaluation begins: waits until processes of the one before have given back the device's
  /// memory.
  virtual void make_room(const Bounds&) {}
  /// Waits until the processes of all runners that were let go are gone.
  virtual void await_ends(const Bounds&) {}
  /// The first runner for Python is seconds away.
  [[nodiscard]] virtual bool python_is_starting() { return false; }
  /// Memory that runners of this device can map.
  [[nodiscard]] virtual Result<std::unique_ptr<SharedArena>> make_arena(std::size_t size) = 0;
  /// The clock that no runner can reach. If there is none, the error says why.
  [[nodiscard]] virtual Result<OutsideClock*> outside_clock() {
    return fail(ErrorCode::unavailable, "this device has no clock outside its runners");
  }
  /// Bytes of the device's own memory that nobody holds; nothing where it has none, as `cpu`.
  [[nodiscard]] virtual std::optional<std::size_t> free_memory() const { return std::nullopt; }
  /// How much of the device's own memory one runner may hold; nothing where that is not limited.
  [[nodiscard]] virtual std::optional<std::size_t> memory_limit() const { return std::nullopt; }
  /// For how long so far some process of this machine has waited for a processor; nothing where
  /// nobody knows.
  [[nodiscard]] virtual std::optional<std::chrono::nanoseconds> processor_pressure() const {
    return std::nullopt;
  }
};

}  // namespace assay::eval
