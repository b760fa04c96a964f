#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "eval/evaluation.hpp"
#include "eval/profiled_call.hpp"
#include "eval/runner.hpp"
#include "model/device_metrics.hpp"
#include "model/ids.hpp"
#include "model/outcome.hpp"
#include "process/jail_profile.hpp"
#include "worker/jailed_tool.hpp"

namespace assay::worker {

struct MetricsOptions {
  std::optional<std::filesystem::path> ncu;
  std::string looked_for;  // where, if there is none
  bool named = false;      // by whoever runs the server: then it is used on every device
  process::KeptCapability kept = process::KeptCapability::perfmon;
  std::filesystem::path folder;         // for reports on their way to the server
  std::optional<MetricsWanted> always;  // of requests that say nothing
};

/// What one request wants, and where it stands.
struct MetricsTask {
  const eval::EvaluationInput& input;
  JobId job;
  MetricsWanted wanted;
};

/// Collects counters after an evaluation: each kernel once more, in a fresh runner under Nsight
/// Compute, jailed as ever. Nothing that goes wrong here is more than a status.
class MetricsLane {
 public:
  /// All must outlive this.
  MetricsLane(const MetricsOptions& options, const ToolHost& host)
      : options_(options), host_(host) {}

  /// Writes what it found, and the reports as artifacts, into `outcome`.
  void collect(const MetricsTask& task, eval::RunnerSource& runners, Outcome& outcome,
               const eval::Bounds& bounds);

 private:
  struct Collected {
    MetricsStatus status;
    std::optional<CallMetrics> call;
    std::string report;  // the file's bytes
  };
  [[nodiscard]] std::optional<MetricsStatus> hindrance() const;
  [[nodiscard]] Collected collect_side(const MetricsTask& task, eval::Side side,
                                       eval::RunnerSource& runners, const eval::Bounds& bounds);
  void add_report(const MetricsTask& task, eval::Side side, std::string bytes,
                  Outcome& outcome) const;

  const MetricsOptions& options_;
  ToolHost host_;
};

}  // namespace assay::worker
