#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/mfu_flags.hpp"
#include "trace/analysis/counted_picks.hpp"
#include "trace/analysis/stages.hpp"
#include "trace/model_flops.hpp"

namespace assay::cli {

/// What the report of a run holds beside the overview.
struct RunReportOptions {
  std::vector<trace::Stage> stages;
  trace::ModelShape model;
  MfuFlags peak;
  std::vector<trace::CountedPick> counted;  // by Nsight Compute
};

/// Writes findings.json and report.html beside a run's timeline. Gives what to tell the user: the
/// tables that were asked for, and what stands out.
[[nodiscard]] Result<std::string> write_run_report(const std::filesystem::path& timeline,
                                                   const std::filesystem::path& folder,
                                                   const RunReportOptions& options);

}  // namespace assay::cli
