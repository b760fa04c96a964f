#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "model/device_info.hpp"
#include "profile/engines.hpp"

namespace assay::cli {

/// How counters are collected, and whether requests that do not ask get them too.
struct MetricsFlags {
  bool always = false;
  std::vector<std::string> sections;
  std::vector<std::string> sets;
  std::optional<std::filesystem::path> ncu;       // absent: where it is usually installed
  std::optional<std::filesystem::path> cupti;     // absent: the one with the CUDA toolkit
  std::optional<std::string> chip;                // absent: the device's own
  std::optional<std::filesystem::path> own_sets;  // a file that names sets
  std::string capability = "perfmon";
  std::optional<std::filesystem::path> sanitizer;  // absent: where it is usually installed
};

/// Where Nsight Compute is, or where it was looked for.
[[nodiscard]] profile::Engine find_ncu();

/// Where compute-sanitizer is, or where it was looked for.
[[nodiscard]] profile::Engine find_compute_sanitizer();

/// Whether compute-sanitizer can be put around what runs on the device.
[[nodiscard]] bool has_sanitizer(const MetricsFlags& flags, DeviceKind device);

/// Whether the driver lets only administrators read counters, as far as it says.
[[nodiscard]] bool counters_are_restricted();

void add_metrics_flags(CLI::App& command, MetricsFlags& flags);

/// Where a worker puts reports.
struct ReportFolders {
  std::filesystem::path passing;  // on their way to the server
  std::filesystem::path kept;     // to be used again
  std::uint64_t kept_bytes = 0;
};

/// The same as words for a worker, which has no PATH to look on.
[[nodiscard]] std::vector<std::string> worker_words(const MetricsFlags& flags,
                                                    const ReportFolders& folders);

/// The options of a worker that read those words.
struct WorkerMetricsFlags {
  MetricsFlags flags;
  ReportFolders folders;
  std::optional<std::filesystem::path> found;  // where nobody named one
  std::string looked_for;
  std::optional<std::filesystem::path> found_sanitizer;
  std::string sanitizer_looked_for;
};
void add_worker_metrics_flags(CLI::App& command, WorkerMetricsFlags& flags);

}  // namespace assay::cli
