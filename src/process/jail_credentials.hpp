#pragma once

#include "base/result.hpp"
#include "process/jail_profile.hpp"

namespace assay::process {

/// Makes the capabilities of a new user namespace survive exec. Without this they are lost: at
/// that moment the user has no name inside the namespace, so it is not its root. Only system calls;
/// returns false, with errno, on failure.
[[nodiscard]] bool keep_capabilities_across_exec();

/// Becomes kJailId, still with the capabilities that building the jail needs.
[[nodiscard]] Result<void> assume_jail_identity();

/// Gives up every capability but `kept` for good. No exec can bring one back. If we do not have
/// `kept`, it is not kept.
[[nodiscard]] Result<void> drop_privileges(KeptCapability kept = KeptCapability::none);

/// Switches on the loopback of the network we are in, which must be the jail's own.
[[nodiscard]] Result<void> raise_loopback();

}  // namespace assay::process
