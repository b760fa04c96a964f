#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "eval/runner.hpp"
#include "model/python_protocol.hpp"
#include "worker/python_process.hpp"

namespace assay::worker {

/// A forked runner, spoken to in the terms of an evaluation.
class PythonRunner final : public eval::PythonRunner {
 public:
  explicit PythonRunner(std::unique_ptr<PythonProcess> process) : process_(std::move(process)) {}

  [[nodiscard]] eval::Attempt<PythonReply> call(const PythonCommand& command,
                                                std::span<const int> descriptors,
                                                const eval::Bounds& bounds) override;
  [[nodiscard]] std::optional<std::chrono::nanoseconds> cpu_time() const override {
    return process_->cpu_time();
  }
  [[nodiscard]] bool alive() const { return process_->alive(); }

 private:
  std::unique_ptr<PythonProcess> process_;
};

}  // namespace assay::worker
