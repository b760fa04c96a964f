#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "model/artifact.hpp"
#include "model/device_metrics.hpp"
#include "model/finding.hpp"
#include "model/ids.hpp"
#include "model/kernel_resources.hpp"
#include "model/request.hpp"
#include "model/sanitizer_status.hpp"
#include "model/timing_summary.hpp"
#include "model/verdict.hpp"

namespace assay {

/// A kernel made ready to run: what the build pool hands to a worker.
struct BuiltKernel {
  std::filesystem::path module;            // what the runner loads
  std::filesystem::path support_dir;       // libraries it needs beside it; visible in the jail
  std::string entry;                       // the kernel to launch
  std::string compiler;                    // "g++ 12.2.0 (simt)"
  std::string log;                         // warnings
  std::optional<RegisterSpills> spills{};  // `cuda` on a GPU
  std::vector<Artifact> artifacts{};       // those asked for
  /// What it asked for only while it ran: one container of extensions for each time it asked.
  std::vector<std::filesystem::path> extensions{};
  bool cache_hit = false;
  std::chrono::nanoseconds elapsed{};
};

/// The limit that came nearest to being broken.
struct ToleranceUsed {
  ToleranceRule rule = ToleranceRule::measured;
  std::string output;
  double atol = 0;
  double rtol = 0;
  double noise = 0;           // the part of atol that is the reference's own uncertainty
  double used = 0;            // the largest difference as a part of what it may be
  bool with_float64 = false;  // the reference was run in float64 too
};

/// How the check went at another size.
struct WorkloadChecked {
  std::string name;
  std::string verdict;
  int rounds_passed = 0;
  int rounds_total = 0;
};

/// How the comparison of outputs went, over all rounds.
struct CheckSummary {
  int rounds_passed = 0;
  int rounds_total = 0;
  double max_difference = 0;
  double mean_difference = 0;
  std::optional<ToleranceUsed> tolerance{};
  std::vector<std::string>
      inputs{};                 // of rounds whose inputs were not the author's own: what they were
  bool made_on_device = false;  // a get_inputs made them there, not on the host
  std::vector<WorkloadChecked> workloads{};  // in the order of the check
};

/// Something about the request or the answer that a reader should know, whatever the verdict.
struct Warning {
  std::string code;                 // as docs/judging.md lists them
  std::string message;              // a sentence
  std::vector<std::string> passes;  // of `weak_check`: what would pass
};

/// Enough to say where an answer came from and to get it again.
struct Provenance {
  DeviceId device;
  std::string device_name;
  std::string driver;  // empty on `cpu`
  std::string assay_version;
  std::string candidate_compiler;
  std::string reference_compiler;
  std::string candidate_build_log;  // warnings, and why a slower road was taken
  std::string reference_build_log;
  bool candidate_cache_hit = false;
  bool reference_cache_hit = false;
  /// Whether its runner was given what Triton had compiled for an earlier runner of the same
  /// source. Absent where nothing is kept: without a GPU, without Python, and under a pinned seed.
  std::optional<bool> candidate_triton_cache_hit;
  std::optional<bool> reference_triton_cache_hit;
  std::vector<std::string> jail_missing{};  // parts of the jail that it had to do without
  std::uint64_t seed = 0;                   // the secret all inputs of this run were derived from
};

/// Everything an evaluation found out.
struct Outcome {
  Verdict verdict;
  std::vector<Finding> findings;  // of the sanitizers asked for, or of a stopped kernel
  std::optional<SanitizerStatus> sanitizers{};  // exactly where they were asked for
  std::vector<Warning> warnings{};
  std::optional<CheckSummary> check;
  std::optional<TimingSummary> candidate_timing;
  std::optional<TimingSummary> reference_timing;
  std::optional<Speed> speed;
  std::optional<KernelResources> candidate_resources;  // `cuda` kernels on a GPU
  std::optional<KernelResources> reference_resources;
  std::vector<Artifact> artifacts;              // every one that was asked for, of either kernel
  std::optional<DeviceMetrics> device_metrics;  // exactly where they were asked for
  Provenance provenance;
  std::string next_step{};  // what to do about it; empty where the reason says all there is
};

}  // namespace assay
