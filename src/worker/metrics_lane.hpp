#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/digest.hpp"
#include "eval/evaluation.hpp"
#include "eval/profiled_call.hpp"
#include "eval/runner.hpp"
#include "model/device_metrics.hpp"
#include "model/ids.hpp"
#include "model/kernel_choice.hpp"
#include "model/outcome.hpp"
#include "model/timing_summary.hpp"
#include "process/jail_profile.hpp"
#include "worker/jailed_tool.hpp"
#include "worker/metrics_cache.hpp"

namespace assay::worker {

struct MetricsOptions {
  std::optional<std::filesystem::path> ncu;
  std::string looked_for;       // where, if there is none
  std::filesystem::path cupti;  // empty: what the linker finds
  bool named = false;           // by whoever runs the server: then it is used on every device
  process::KeptCapability capability = process::KeptCapability::perfmon;
  std::filesystem::path folder;  // for reports on their way to the server
  std::filesystem::path kept;    // reports to be used again; empty: none are
  std::uint64_t kept_bytes = 0;
  std::optional<MetricsWanted> always;  // of requests that say nothing
  MetricSets sets{};                    // that requests may name
};

/// What one request wants, and where it stands.
struct MetricsTask {
  const eval::EvaluationInput& input;
  JobId job;
  const std::string& body;  // the request as it came
  MetricsWanted wanted;
  KernelChoice kernels{};
  int runs = 1;
  bool fresh = false;  // not from what was kept
  MetricsCollector collector = kUsualCollector;
};

/// Collects counters after an evaluation. Each kernel runs once more, in a fresh runner, jailed as
/// ever: under Nsight Compute, or with CUPTI in the runner itself. Whatever goes wrong here only
/// becomes a status, and what goes wrong with CUPTI has Nsight Compute asked.
class MetricsLane {
 public:
  /// All must outlive this.
  MetricsLane(const MetricsOptions& options, const ToolHost& host);

  /// Writes what it found, and the reports as artifacts, into `outcome`.
  void collect(const MetricsTask& task, eval::RunnerSource& runners, Outcome& outcome,
               const eval::Bounds& bounds);

 private:
  struct Collected {
    MetricsStatus status;
    std::optional<CallMetrics> call;
    KeptReport report;
    bool cached = false;
    CollectorUsed used{};
  };
  [[nodiscard]] std::optional<MetricsStatus> hindrance(const MetricsTask& task) const;
  [[nodiscard]] Collected collect_side(const MetricsTask& task, eval::Side side,
                                       const std::optional<TimingSummary>& timing,
                                       eval::RunnerSource& runners, const eval::Bounds& bounds);
  /// By CUPTI. Fails if it cannot give what is asked for, or did not work.
  [[nodiscard]] Result<Collected> count_side(const MetricsTask& task, eval::Side side,
                                             eval::RunnerSource& runners,
                                             const eval::Bounds& bounds) const;
  /// By Nsight Compute.
  [[nodiscard]] Collected profile_side(const MetricsTask& task, eval::Side side,
                                       const std::optional<TimingSummary>& timing,
                                       eval::RunnerSource& runners, const eval::Bounds& bounds);
  /// What the reports of one side are kept under; nothing where none are.
  [[nodiscard]] std::optional<Digest> key_of(const MetricsTask& task, eval::Side side,
                                             const std::string& kernels) const;
  /// The runs as one, with the report of the middle one.
  [[nodiscard]] static Collected together(MetricsStatus status, std::vector<KeptReport> reports,
                                          std::span<const CallMetrics> calls);
  [[nodiscard]] std::optional<Collected> collected_before(const Digest& key);
  [[nodiscard]] Collected profile(const MetricsTask& task, eval::Side side,
                                  const std::string& kernels, eval::RunnerSource& runners,
                                  const eval::Bounds& bounds);
  void add_report(const MetricsTask& task, eval::Side side, std::string bytes,
                  Outcome& outcome) const;

  const MetricsOptions& options_;
  ToolHost host_;
  std::unique_ptr<MetricsCache> cache_;  // null: nothing is kept
};

}  // namespace assay::worker
