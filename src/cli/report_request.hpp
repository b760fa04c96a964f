#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/mfu_flags.hpp"
#include "cli/then_ncu.hpp"

namespace assay::cli {

/// What the report of a run is asked to hold beside the overview.
struct ReportRequest {
  std::string stages;
  MfuFlags peak;
  ThenNcu then_ncu;
};

/// What was asked for, as a run's manifest keeps it: texts under keys.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> texts_of(
    const ReportRequest& request);

/// Takes what was not asked for from a manifest, so that a report loses nothing that an earlier one
/// of the run had.
void fill_in(ReportRequest& request, std::string_view manifest);

}  // namespace assay::cli
