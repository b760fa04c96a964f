#pragma once

#include "base/unique_fd.hpp"

namespace assay::runner {

/// The jailed process that runs one compiled kernel: answers the commands of
/// model/runner_protocol.hpp on `channel` until the worker closes it. Everything here shares the
/// process with submitted code, so nothing here is trusted by anyone.
[[nodiscard]] int run_native_runner(UniqueFd channel);

}  // namespace assay::runner
