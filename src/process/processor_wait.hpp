#pragma once

#include <optional>

#include <sys/types.h>

#include "base/processor_use.hpp"

namespace assay::process {

/// By the kernel's account, of the threads that there are now. Nothing where the kernel keeps none
/// or the process is gone.
[[nodiscard]] std::optional<ProcessorUse> processor_use(pid_t process);

}  // namespace assay::process
