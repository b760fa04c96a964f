#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "model/finding.hpp"

namespace assay::metrics {

/// No more findings of one run are kept. The limit is the same on `cpu`.
inline constexpr std::size_t kMostFindings = 8;

struct SanitizerLog {
  bool complete = false;          // it ends with the tool's own summary
  std::size_t errors = 0;         // as the summary counts them, those of the host's calls included
  std::vector<Finding> findings;  // of device code, one for each kind and line
};

/// What a tool of compute-sanitizer wrote. Jailed programs could write to the same file. So
/// everything in it is read, and what is no report is passed over.
[[nodiscard]] SanitizerLog read_sanitizer_log(std::string_view text);

}  // namespace assay::metrics
