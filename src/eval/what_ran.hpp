#pragma once

#include "eval/runner.hpp"
#include "model/device_info.hpp"
#include "model/outcome.hpp"
#include "model/request.hpp"

namespace assay::eval {

/// Before anything runs: whether the device can tell what the request requires.
[[nodiscard]] Attempt<void> can_tell_what_ran(const Request& request, DeviceKind device);

/// After timing: says of every kernel of the candidate whose it is, and warns of a decoy. If the
/// required work of its own is missing, the evaluation ends there.
[[nodiscard]] Attempt<void> weigh_what_ran(const Request& request, Outcome& outcome);

}  // namespace assay::eval
