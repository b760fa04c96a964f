#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.hpp"
#include "eval/runner.hpp"
#include "model/python_protocol.hpp"
#include "process/processor_wait.hpp"
#include "worker/python_process.hpp"

namespace assay::worker {

/// What a Python runner's reply means; `printed` is the end of what it printed so far.
[[nodiscard]] eval::Attempt<PythonReply> read_answer(std::string_view text,
                                                     const std::string& printed);

/// A forked runner, spoken to in the terms of an evaluation.
class PythonRunner final : public eval::PythonRunner {
 public:
  /// Takes over a process that has been killed and waits until it is gone.
  using Undertaker = std::function<void(std::unique_ptr<PythonProcess>)>;

  PythonRunner(std::unique_ptr<PythonProcess> process, Undertaker undertaker)
      : process_(std::move(process)), undertaker_(std::move(undertaker)) {}
  /// Kills the process; nobody has to wait while the kernel takes it apart.
  ~PythonRunner() override;
  PythonRunner(const PythonRunner&) = delete;
  PythonRunner& operator=(const PythonRunner&) = delete;
  PythonRunner(PythonRunner&&) = delete;
  PythonRunner& operator=(PythonRunner&&) = delete;

  [[nodiscard]] eval::Attempt<PythonReply> call(const PythonCommand& command,
                                                std::span<const int> descriptors,
                                                const eval::Bounds& bounds) override;
  [[nodiscard]] std::optional<std::chrono::nanoseconds> cpu_time() const override {
    return process_->cpu_time();
  }
  [[nodiscard]] std::optional<ProcessorUse> processor_use() const override {
    return process_->processor_use();
  }
  [[nodiscard]] Result<void> pause() override { return process_->pause(); }
  void resume() override { process_->resume(); }
  [[nodiscard]] bool alive() const { return process_->alive(); }

 private:
  std::unique_ptr<PythonProcess> process_;
  Undertaker undertaker_;
};

}  // namespace assay::worker
