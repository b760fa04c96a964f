#pragma once

#include <chrono>

#include <sys/types.h>

#include "base/result.hpp"

namespace assay::process {

/// Stops every process below `init`, which itself goes on, and returns when no thread of them runs:
/// what they held, they hold, but they compute nothing. Signals do it, so that it works without
/// control groups; a process can neither block nor notice them before it is continued. Fails with
/// `deadline_exceeded` where processes appear faster than they can be stopped, with those running
/// that were not caught. Whoever is killed while stopped dies as ever.
[[nodiscard]] Result<void> pause_below(pid_t init,
                                       std::chrono::nanoseconds patience = std::chrono::seconds(2));

/// Lets all of them go on, also where pause_below failed halfway.
void resume_below(pid_t init);

}  // namespace assay::process
