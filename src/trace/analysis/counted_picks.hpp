#pragma once

#include <optional>
#include <string>
#include <vector>

#include "trace/analysis/pick_kernels.hpp"
#include "trace/ncu/report.hpp"
#include "trace/table.hpp"

namespace assay::trace {

/// A kernel of a timeline, and what Nsight Compute counted of it.
struct CountedPick {
  KernelPick pick;
  std::optional<NcuReport> report;
  std::string failure;  // why there is none
};

/// Adds to a timeline's report what was counted. The table `counted_kernels` sets each kernel's
/// share of the time beside its bound and its distance from the roofline. The rooflines, the
/// launches and what the tool's rules found follow. If ncu caught another launch than was meant, or
/// none, a warning says so.
void add_counted(const std::vector<CountedPick>& picks, Report& report);

}  // namespace assay::trace
