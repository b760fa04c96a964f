#pragma once

#include <chrono>
#include <optional>

#include <sys/types.h>

namespace assay::process {

/// What the threads of a process have had of the processors so far.
struct ProcessorUse {
  std::chrono::nanoseconds ran{};
  std::chrono::nanoseconds waited{};  // ready to run, while others had the processor
};

/// By the kernel's account, of the threads that there are now. Nothing where the kernel keeps none
/// or the process is gone.
[[nodiscard]] std::optional<ProcessorUse> processor_use(pid_t process);

}  // namespace assay::process
