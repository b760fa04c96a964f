#pragma once

#include <chrono>

#include <sys/types.h>

#include "base/result.hpp"

namespace assay::process {

/// Stops every process below `init`, which itself goes on. Returns when none of their threads runs.
/// They keep what they hold, but compute nothing. It uses signals, so it works without control
/// groups. A process can neither block these signals nor notice them before it is continued. Fails
/// with `deadline_exceeded` if processes appear faster than they can be stopped. Those that were
/// not caught then run on. A stopped process can be killed as ever.
[[nodiscard]] Result<void> pause_below(pid_t init,
                                       std::chrono::nanoseconds patience = std::chrono::seconds(2));

/// Lets all of them go on, even if pause_below failed halfway.
void resume_below(pid_t init);

}  // namespace assay::process
