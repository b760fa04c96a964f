#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/device_metrics.hpp"

namespace assay::metrics {

/// What is collected where nothing is named: all that the answer's groups are made from.
[[nodiscard]] std::span<const std::string_view> usual_sections();

/// No more launches of one call are profiled: each costs tens of passes.
inline constexpr int kMostLaunches = 64;

struct NcuRun {
  std::filesystem::path ncu;
  MetricsWanted wanted;
  std::string kernels;              // an expression for their names; empty: all
  bool first_of_each_grid = false;  // of launches that differ in nothing else
  std::string range;                // the NVTX range around the one call that is profiled
  std::filesystem::path report;     // what it writes; ends in .ncu-rep
  std::filesystem::path log_file;   // what it says
};

/// The words before the program's own. It is a list for exec; no shell reads it.
[[nodiscard]] std::vector<std::string> ncu_command(const NcuRun& run);

}  // namespace assay::metrics
