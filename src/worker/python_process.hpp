#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.hpp"
#include "eval/runner.hpp"
#include "process/frame_channel.hpp"
#include "process/processor_wait.hpp"
#include "worker/forked_process.hpp"
#include "worker/runner_output.hpp"

namespace assay::worker {

/// A runner that a zygote has forked, and the way to speak with it.
class PythonProcess {
 public:
  PythonProcess(ForkedProcess process, process::FrameChannel channel, RunnerOutput output)
      : process_(std::move(process)), channel_(std::move(channel)), output_(std::move(output)) {}

  /// One command and its reply, as text. The descriptors stay the caller's.
  [[nodiscard]] eval::Attempt<std::string> call(std::string_view command,
                                                std::span<const int> descriptors,
                                                const eval::Bounds& bounds);
  [[nodiscard]] std::optional<std::chrono::nanoseconds> cpu_time() const {
    return process_.cpu_time();
  }
  [[nodiscard]] std::optional<ProcessorUse> processor_use() const {
    return process_.processor_use();
  }
  /// Until resume() or the next call.
  [[nodiscard]] Result<void> pause();
  void resume();
  [[nodiscard]] bool alive() const { return process_.alive(); }
  void kill() const { process_.kill(); }
  /// The end of what it printed.
  [[nodiscard]] std::string printed() const { return output_.tail(); }

 private:
  ForkedProcess process_;
  process::FrameChannel channel_;
  RunnerOutput output_;
  bool paused_ = false;
};

}  // namespace assay::worker
