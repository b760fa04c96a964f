#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/result.hpp"
#include "eval/runner.hpp"
#include "eval/shared_arena.hpp"
#include "process/jail_support.hpp"
#include "process/subprocess.hpp"
#include "worker/python_command.hpp"
#include "worker/runner_process.hpp"

namespace assay::worker {

/// Starts runners under a profiler. Keeps the process of the last runner that ended its part, so
/// that the profiler can be waited for.
class ProfiledRunners final : public eval::RunnerSource {
 public:
  /// All must outlive this. `arenas` makes the memory.
  ProfiledRunners(const RunnerOptions& options, const std::optional<PythonOptions>& python,
                  const process::JailSupport& support, const Profiler& profiler,
                  eval::RunnerSource& arenas)
      : options_(options),
        python_(python),
        support_(support),
        profiler_(profiler),
        arenas_(arenas) {}

  [[nodiscard]] Result<std::unique_ptr<eval::Runner>> fresh() override;
  [[nodiscard]] Result<std::unique_ptr<eval::PythonRunner>> fresh_python(
      const eval::Bounds& bounds) override;
  [[nodiscard]] Result<std::unique_ptr<eval::SharedArena>> make_arena(std::size_t size) override {
    return arenas_.make_arena(size);
  }
  [[nodiscard]] std::optional<std::size_t> free_memory() const override {
    return arenas_.free_memory();
  }

  /// A process whose runner has been let go. Nothing while it is in use, or if none was started.
  [[nodiscard]] std::optional<process::Subprocess> take_ending() {
    return std::exchange(ending_, std::nullopt);
  }
  /// What runner and profiler printed, as far as it is known.
  [[nodiscard]] const std::string& printed() const { return printed_; }

 private:
  void let_go(process::Subprocess process, std::string printed);

  const RunnerOptions& options_;
  const std::optional<PythonOptions>& python_;
  const process::JailSupport& support_;
  const Profiler& profiler_;
  eval::RunnerSource& arenas_;
  std::optional<process::Subprocess> ending_;
  std::string printed_;
};

}  // namespace assay::worker
