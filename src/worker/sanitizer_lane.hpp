#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eval/evaluation.hpp"
#include "eval/runner.hpp"
#include "model/finding.hpp"
#include "model/outcome.hpp"
#include "model/sanitizer_status.hpp"
#include "worker/jailed_tool.hpp"

namespace assay::worker {

struct SanitizerOptions {
  std::optional<std::filesystem::path> program;  // compute-sanitizer
  std::string looked_for;                        // where, if there is none
  bool named = false;  // by whoever runs the server: then it is used on every device
  std::filesystem::path folder;
};

/// Checks a kernel with compute-sanitizer, after its evaluation. The kernel runs once more for each
/// tool that the request asks for, in a fresh runner under the tool, jailed as ever.
class SanitizerLane {
 public:
  /// All must outlive this.
  SanitizerLane(const SanitizerOptions& options, const ToolHost& host)
      : options_(options), host_(host) {}

  /// Whether requests of this device are checked here and not by the runner itself.
  [[nodiscard]] bool serves() const;

  /// What is found becomes the verdict, as it does on `cpu`.
  void check(const eval::EvaluationInput& input, eval::RunnerSource& runners, Outcome& outcome,
             const eval::Bounds& bounds);

 private:
  struct Checked {
    SanitizerStatus status;
    std::vector<Finding> findings;
  };
  [[nodiscard]] std::optional<SanitizerStatus> hindrance(const Outcome& outcome) const;
  [[nodiscard]] Checked check_with(std::string_view tool, const eval::EvaluationInput& input,
                                   eval::RunnerSource& runners, const eval::Bounds& bounds) const;

  const SanitizerOptions& options_;
  ToolHost host_;
};

}  // namespace assay::worker
