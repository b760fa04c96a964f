#pragma once

#include <expected>
#include <vector>

#include <sys/types.h>

#include "base/unique_fd.hpp"
#include "process/jail_plan.hpp"

namespace assay::process {

struct TargetFailure {
  const char* step;
  int error_number;
  bool at_exec;  // everything before it had worked
};

/// Starts the program of a plan as a child of init. It gets its own session, the plan's descriptors
/// and nothing else, resource limits, and the system call filter. Returns once exec has succeeded
/// or failed.
[[nodiscard]] std::expected<pid_t, TargetFailure> start_target(const JailPlan& plan,
                                                               std::vector<UniqueFd> descriptors);

}  // namespace assay::process
