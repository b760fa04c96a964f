#include "eval/limited_runners.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/error.hpp"
#include "base/machine_memory.hpp"
#include "base/processor_use.hpp"
#include "base/result.hpp"
#include "eval/runner.hpp"
#include "model/kernel_resources.hpp"
#include "model/outcome.hpp"
#include "model/python_protocol.hpp"
#include "model/runner_protocol.hpp"
#include "model/verdict.hpp"

namespace assay::eval {
namespace {

/// A runner and what it holds of the device's memory. Once it is ended, every command is answered
/// with the reason.
template <class Inner>
class Account {
 public:
  Account(std::unique_ptr<Inner> runner, RunnerSource& device, std::size_t limit, bool& mistaken)
      : runner_(std::move(runner)), device_(device), limit_(limit), mistaken_(mistaken) {}

  /// The driver tells nothing on other threads than the worker's own. Inputs made ahead and calls
  /// behind the gate are waited for there: they are not charged, and not disturbed.
  template <class Command>
  std::invoke_result_t<Command, Inner&> charge(const Bounds& bounds, const Command& command) {
    if (ended_) return std::unexpected(*ended_);
    const auto before = device_.free_memory();
    auto done = command(*runner_);
    const auto after = device_.free_memory();
    if (!done || !before || !after) return done;
    held_ += static_cast<std::int64_t>(*before) - static_cast<std::int64_t>(*after);
    if (held_ <= 0 || static_cast<std::size_t>(held_) <= limit_) return done;
    ended_ = end(*after, bounds);
    return std::unexpected(*ended_);
  }

  [[nodiscard]] auto cpu_time() const {
    return runner_ ? runner_->cpu_time() : std::optional<std::chrono::nanoseconds>();
  }
  [[nodiscard]] auto processor_use() const {
    return runner_ ? runner_->processor_use() : std::optional<ProcessorUse>();
  }
  [[nodiscard]] Result<void> pause() { return runner_ ? runner_->pause() : Result<void>(); }
  void resume() {
    if (runner_) runner_->resume();
  }

 private:
  [[nodiscard]] Setback end(std::size_t free_before, const Bounds& bounds) {
    runner_.reset();
    device_.await_ends(bounds);
    const std::size_t free = std::max(device_.free_memory().value_or(0), free_before);
    const std::size_t held = free - free_before;
    if (held < limit_) {
      mistaken_ = true;
      return Error(ErrorCode::unavailable, "another process took memory of the device meanwhile");
    }
    return Fate{OutOfMemory{fmt::format(
                    "The kernel held {} of the device's memory: so much became free when it was "
                    "ended. One kernel may hold {} there. The server's option --gpu-memory sets "
                    "that limit",
                    gibibytes(held), gibibytes(limit_))},
                {}};
  }

  std::unique_ptr<Inner> runner_;
  RunnerSource& device_;
  std::size_t limit_;
  bool& mistaken_;
  std::int64_t held_ = 0;
  std::optional<Setback> ended_;
};

class LimitedRunner final : public Runner {
 public:
  explicit LimitedRunner(Account<Runner> account) : account_(std::move(account)) {}

  Attempt<void> load(const BuiltKernel& kernel, const Bounds& bounds) override {
    return account_.charge(bounds, [&](Runner& runner) { return runner.load(kernel, bounds); });
  }
  Attempt<std::optional<KernelResources>> bind(const LaunchPlan& plan, int arena_fd,
                                               std::size_t arena_size,
                                               const Bounds& bounds) override {
    return account_.charge(
        bounds, [&](Runner& runner) { return runner.bind(plan, arena_fd, arena_size, bounds); });
  }
  Attempt<void> run(const Bounds& bounds) override {
    return account_.charge(bounds, [&](Runner& runner) { return runner.run(bounds); });
  }
  Attempt<void> warm(int calls, const Bounds& bounds) override {
    return account_.charge(bounds, [&](Runner& runner) { return runner.warm(calls, bounds); });
  }
  Attempt<std::vector<double>> time(int samples, const Bounds& bounds) override {
    return account_.charge(bounds, [&](Runner& runner) { return runner.time(samples, bounds); });
  }
  Attempt<void> arm(const ArmCommand& command, std::span<const int> descriptors,
                    const Bounds& bounds) override {
    return account_.charge(
        bounds, [&](Runner& runner) { return runner.arm(command, descriptors, bounds); });
  }
  Attempt<Rounded> round(const RoundCommand& command, const Bounds& bounds) override {
    return account_.charge(bounds, [&](Runner& runner) { return runner.round(command, bounds); });
  }
  Attempt<std::vector<double>> host_time(std::uint32_t calls, const Bounds& bounds) override {
    return account_.charge(bounds, [&](Runner& runner) { return runner.host_time(calls, bounds); });
  }
  Attempt<Traced> trace(const TraceCommand& command, const Bounds& bounds) override {
    return account_.charge(bounds, [&](Runner& runner) { return runner.trace(command, bounds); });
  }
  Attempt<void> profile(const ProfileCommand& command, const Bounds& bounds) override {
    return account_.charge(bounds, [&](Runner& runner) { return runner.profile(command, bounds); });
  }
  Attempt<Counted> count(const CountCommand& command, const Bounds& bounds) override {
    return account_.charge(bounds, [&](Runner& runner) { return runner.count(command, bounds); });
  }
  std::optional<std::chrono::nanoseconds> cpu_time() const override { return account_.cpu_time(); }
  std::optional<ProcessorUse> processor_use() const override { return account_.processor_use(); }
  Result<void> pause() override { return account_.pause(); }
  void resume() override { account_.resume(); }

 private:
  Account<Runner> account_;
};

class LimitedPythonRunner final : public PythonRunner {
 public:
  explicit LimitedPythonRunner(Account<PythonRunner> account) : account_(std::move(account)) {}

  Attempt<PythonReply> call(const PythonCommand& command, std::span<const int> descriptors,
                            const Bounds& bounds) override {
    return account_.charge(
        bounds, [&](PythonRunner& runner) { return runner.call(command, descriptors, bounds); });
  }
  std::optional<std::chrono::nanoseconds> cpu_time() const override { return account_.cpu_time(); }
  std::optional<ProcessorUse> processor_use() const override { return account_.processor_use(); }
  Result<void> pause() override { return account_.pause(); }
  void resume() override { account_.resume(); }

 private:
  Account<PythonRunner> account_;
};

}  // namespace

LimitedRunners::LimitedRunners(RunnerSource& runners) : runners_(runners) {}

Result<std::unique_ptr<Runner>> LimitedRunners::fresh() {
  ASSAY_TRY(auto runner, runners_.fresh());
  const auto limit = memory_limit();
  if (!limit) return runner;
  return std::make_unique<LimitedRunner>(
      Account<Runner>(std::move(runner), runners_, *limit, mistaken_));
}

Result<std::unique_ptr<PythonRunner>> LimitedRunners::fresh_python(const Bounds& bounds) {
  ASSAY_TRY(auto runner, runners_.fresh_python(bounds));
  const auto limit = memory_limit();
  if (!limit) return runner;
  return std::make_unique<LimitedPythonRunner>(
      Account<PythonRunner>(std::move(runner), runners_, *limit, mistaken_));
}

}  // namespace assay::eval
