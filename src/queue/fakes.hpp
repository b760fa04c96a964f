#pragma once

// For the tests of this module: builders and devices that do what the kernel's source says.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <future>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/mutex.hpp"
#include "base/result.hpp"
#include "compile/builder.hpp"
#include "model/device_info.hpp"
#include "model/extension.hpp"
#include "model/ids.hpp"
#include "model/job.hpp"
#include "model/kernel.hpp"
#include "model/outcome.hpp"
#include "model/task.hpp"
#include "model/timing_summary.hpp"
#include "model/verdict.hpp"
#include "worker/client.hpp"

namespace assay::queue {

/// Runs with the system's clock and can be put forward. Waits on it are real, but as short as the
/// test wants.
class AheadClock final : public Clock {
 public:
  [[nodiscard]] SteadyTime now() const override { return system_.now() + ahead(); }
  [[nodiscard]] WallTime wall_now() const override {
    return system_.wall_now() + std::chrono::duration_cast<std::chrono::milliseconds>(ahead());
  }
  void advance(std::chrono::nanoseconds by) { ahead_ += by.count(); }

 private:
  [[nodiscard]] std::chrono::nanoseconds ahead() const {
    return std::chrono::nanoseconds(ahead_.load());
  }
  SystemClock system_;
  std::atomic<std::int64_t> ahead_ = 0;
};

/// Holds up whoever comes, until it is opened. Counts those who have come.
class Gate {
 public:
  /// False when stopped first.
  bool pass(const std::stop_token& stop) {
    const MutexLock lock(mutex_);
    ++came_;
    changed_.notify_all();
    return changed_.wait(mutex_, stop, [this] {
      mutex_.assert_held();
      return open_;
    });
  }
  void open() {
    const MutexLock lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  /// Until `count` have come.
  void await(std::size_t count) {
    const MutexLock lock(mutex_);
    changed_.wait(mutex_, [&] {
      mutex_.assert_held();
      return came_ >= count;
    });
  }

 private:
  Mutex mutex_;
  std::condition_variable_any changed_;
  std::size_t came_ ASSAY_GUARDED_BY(mutex_) = 0;
  bool open_ ASSAY_GUARDED_BY(mutex_) = false;
};

/// The kernel's source decides. "broken" does not compile. "unsupported" is unsupported. "late"
/// times out. "no_compiler" is our failure. "slow_build" waits at the gate. All else builds, and
/// its entry is its source. The only artifact it makes is PTX. For extensions the name of the first
/// one decides: "broken", "late" and "slow_build" as above. Preparing takes as long as
/// `on_prepare`.
class FakeBuilder final : public compile::Builder {
 public:
  Result<void> prepare(KernelType /*type*/, DeviceKind /*device*/, const Deadline& /*deadline*/,
                       const std::stop_token& /*stop*/) override {
    if (on_prepare) on_prepare();
    return {};
  }
  Result<compile::BuildOutcome> build(const Kernel& kernel, DeviceKind /*device*/,
                                      const Deadline& deadline,
                                      const std::stop_token& stop) override {
    ++builds;
    if (kernel.source == "broken") return Verdict(DidNotCompile{.log = "1: error"});
    if (kernel.source == "unsupported") return Verdict(Unsupported{.reason = "no such type"});
    if (kernel.source == "late") return Verdict(TimedOut{.phase = "compiling"});
    if (kernel.source == "no_compiler") return fail(ErrorCode::internal, "no compiler");
    if (kernel.source.starts_with("slow_build")) {
      budget = deadline.remaining();
      if (!gate.pass(stop)) return fail(ErrorCode::cancelled, "stopped");
    }
    if (on_build) on_build();
    BuiltKernel built{.entry = kernel.source,
                      .compiler = "fake 1",
                      .log = fmt::format("a warning about {}", kernel.source),
                      .cache_hit = true};
    if (kernel.artifacts.ptx) {
      built.artifacts.push_back({.name = "ptx", .bytes = 4, .text = "ret;"});
    }
    return built;
  }
  Result<compile::BuildOutcome> build_extensions(const std::vector<ExtensionCall>& calls,
                                                 DeviceKind /*device*/,
                                                 const Deadline& /*deadline*/,
                                                 const std::stop_token& stop) override {
    ++extension_builds;
    if (on_build_extensions) on_build_extensions();
    const std::string& name = calls.at(0).name;
    if (name == "broken") return Verdict(DidNotCompile{.log = "2: error"});
    if (name == "late") return Verdict(TimedOut{.phase = "compiling"});
    if (name == "slow_build" && !gate.pass(stop)) return fail(ErrorCode::cancelled, "stopped");
    return BuiltKernel{.module = name, .support_dir = "/simt", .compiler = "fake 2"};
  }
  [[nodiscard]] compile::BuildStats stats() const override { return {.builds = builds}; }

  Gate gate;
  std::function<void()> on_prepare;  // all set before the first build
  std::function<void()> on_build;
  std::function<void()> on_build_extensions;
  std::atomic<std::uint64_t> builds = 0;
  std::atomic<std::uint64_t> extension_builds = 0;
  std::atomic<std::chrono::nanoseconds> budget{};
};

/// The candidate's source decides. "crash" gets that verdict. "die" kills the worker, "die_once"
/// only the first time. "no_python" lacks Python. "slow_start" waits at the gate before it begins,
/// and "hang" after. "overtime" is stopped by the worker itself. "fail" is our failure. "skips"
/// reports a step out of turn. "asks broken" and the like need an extension of that name until
/// there is one. "asks_for_ever" always needs another. All else is accepted. Of a reference only
/// the extensions that it needs matter.
class FakeClient final : public worker::Client {
 public:
  explicit FakeClient(std::string id = "cpu")
      : device_{.id = DeviceId{std::move(id)}, .name = "fake"} {}

  Result<EvaluationEnd> evaluate(const worker::Task& task, const EvaluationListener& listener,
                                 const std::stop_token& stop) override {
    const std::string& what = task.candidate.entry;
    {
      const MutexLock lock(mutex_);
      seen_.push_back(what);
    }
    budget = task.budget;
    if (what == "die") return fail(ErrorCode::unavailable, "the worker died");
    if (what == "die_once" && deaths++ == 0) return fail(ErrorCode::unavailable, "the worker died");
    if (what == "fail") return fail(ErrorCode::internal, "our fault");
    if (what == "no_python") return fail(ErrorCode::resource_exhausted, "Python does not start");
    if (what == "slow_start" && !gate.pass(stop)) return fail(ErrorCode::cancelled, "stopped");
    listener.begun();
    if (on_begun) on_begun();
    if (task.reference) {
      if (auto needed = need_of(*task.reference, /*for_reference=*/true)) return *needed;
    }
    if (auto needed = need_of(task.candidate, /*for_reference=*/false)) return *needed;
    if (what == "hang" && !gate.pass(stop)) return fail(ErrorCode::cancelled, "stopped");
    if (what == "crash") return outcome(Crashed{.reason = "killed by SIGSEGV"});
    if (what == "overtime") return outcome(TimedOut{});
    if (what == "skips") {
      listener.step(JobStep::timed);
      return fail(ErrorCode::cancelled, "stopped");
    }
    listener.step(JobStep::checked);
    if (what == "hang_timing" && !gate.pass(stop)) return fail(ErrorCode::cancelled, "stopped");
    return outcome(Accepted{});
  }
  [[nodiscard]] const DeviceInfo& device() const override { return device_; }
  /// Set before the dispatcher starts.
  void be_a_gpu(bool clocks_locked) {
    device_.kind = DeviceKind::cuda;
    device_.clocks_locked = clocks_locked;
  }

  /// The candidates evaluated, in order.
  [[nodiscard]] std::vector<std::string> seen() {
    const MutexLock lock(mutex_);
    return seen_;
  }

  Gate gate;
  std::function<void()> on_begun;  // set before the first evaluation
  std::atomic<int> deaths = 0;
  std::atomic<std::chrono::nanoseconds> budget{};

 private:
  [[nodiscard]] Outcome outcome(Verdict verdict) const {
    Outcome outcome{.verdict = std::move(verdict), .provenance = {.device = device_.id}};
    if (std::holds_alternative<Accepted>(outcome.verdict)) {
      outcome.candidate_timing = outcome.reference_timing = TimingSummary{.method = "fake"};
    }
    return outcome;
  }
  [[nodiscard]] static std::optional<ExtensionsNeeded> need_of(const BuiltKernel& kernel,
                                                               bool for_reference) {
    constexpr std::string_view kAsks = "asks ";
    const bool asks = kernel.entry.starts_with(kAsks) && kernel.extensions.empty();
    if (!asks && kernel.entry != "asks_for_ever") return std::nullopt;
    const std::string name = asks ? kernel.entry.substr(kAsks.size()) : "another";
    return ExtensionsNeeded{.calls = {{.key = std::string(64, 'a'), .name = name}},
                            .for_reference = for_reference};
  }

  DeviceInfo device_;
  Mutex mutex_;
  std::vector<std::string> seen_ ASSAY_GUARDED_BY(mutex_);
};

/// A request whose kernels have these texts for source.
inline std::string body_of(std::string_view candidate, std::string_view reference = "") {
  const auto kernel = [](std::string_view source) {
    return fmt::format(R"({{"source_code":"{}","kernel_type":"torch"}})", source);
  };
  if (reference.empty()) return fmt::format(R"({{"kernel":{},"timeout":5}})", kernel(candidate));
  return fmt::format(R"({{"reference":{},"candidate":{},"timeout":5}})", kernel(reference),
                     kernel(candidate));
}

}  // namespace assay::queue
