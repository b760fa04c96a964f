#pragma once

#include <string_view>

namespace assay::process {

// The jail's init: a hidden subcommand of the one executable (`assay jail-init`). Subprocess::spawn
// starts it, as pid 1 of a new pid namespace where there is one. Only two descriptors are open:
// standard error and, as descriptor 3, a frame channel to its parent.
//
// It promises, in this order:
//  1. It does nothing before it has received a plan (process/jail_plan.hpp) and never outlives its
//     parent process: whenever the channel closes, it kills everything and ends. (A parent-death
//     signal would not do: it fires when the parent's *thread* ends.)
//  2. It builds what the plan asks for, or reports SetupFailed and ends. Nothing is left out in
//     silence.
//  3. It gives up its identity and its capabilities before any foreign code runs, and cannot be
//     traced. It waits for `go` (the control group is joined) before it starts the program.
//  4. The program is pid 2. So a signal that would kill it elsewhere kills it here too, and its
//     wait status says which. A failed exec is reported as ExecFailed with its errno.
//  5. It reaps every orphan. When the program has ended, it kills all that is left, reports Ended
//     with the program's wait status, and ends. The end of init is the end of the jail.

/// The first argument that must lead main() here, before it does anything else.
inline constexpr const char* kJailInitCommand = "jail-init";

/// Descriptor of the channel to the parent.
inline constexpr int kControlDescriptor = 3;

/// main() for that command. The exit code means nothing; what happened is in the reports.
int jail_init_main(int argc, char** argv);

}  // namespace assay::process
