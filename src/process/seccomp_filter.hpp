#pragma once

#include <string>

#include "base/result.hpp"
#include "process/jail_profile.hpp"

namespace assay::process {

/// The filter of a policy as the kernel loads it: an array of struct sock_filter. Made once and
/// handed to every jail, because making it costs more than loading it.
[[nodiscard]] Result<std::string> seccomp_program(SyscallPolicy policy);

}  // namespace assay::process
