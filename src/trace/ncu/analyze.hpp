#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "trace/ncu/report.hpp"
#include "trace/table.hpp"

namespace assay::trace {

struct NcuOptions {
  std::vector<std::string> sections;  // by id or name; shown instead of the overview
  std::vector<std::string> metrics;   // by name, `*` for any text; shown instead of the overview
  bool section_bodies = false;        // also metrics of a section's tables and charts
  bool list_sections = false;
  bool all_rules = false;  // also what the tool's rules found in order
  bool source = false;     // lines and instructions, in full, instead of the overview
};

/// What a report of Nsight Compute says. It is an overview of its kernels, their roofline and the
/// advice of its rules. If sections or metrics were asked for, it is those instead.
[[nodiscard]] Result<Report> analyze_ncu(const NcuReport& report, std::string title,
                                         const NcuOptions& options = {});

}  // namespace assay::trace
