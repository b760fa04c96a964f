#pragma once

#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "process/jail_plan.hpp"

namespace assay::process {

// A second fence, made of rules instead of mounts: it holds where a mount was forgotten, and where
// mount namespaces are forbidden (docs/adr/0023-what-jailed-programs-may-do.md).

/// The version of Landlock that this kernel has; 0: none.
[[nodiscard]] int landlock_version();

/// Rules by which a program writes where the plan lets it and nowhere else, opens no TCP port, and
/// signals nobody outside. For landlock_restrict_self.
[[nodiscard]] Result<UniqueFd> landlock_rules(const JailPlan& plan);

}  // namespace assay::process
