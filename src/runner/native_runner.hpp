#pragma once

#include "base/unique_fd.hpp"

namespace assay::runner {

/// The jailed process that runs one compiled kernel. It answers the commands of
/// model/runner_protocol.hpp on `channel` until the worker closes it. Everything here shares the
/// process with submitted code, so nobody trusts it.
[[nodiscard]] int run_native_runner(UniqueFd channel);

}  // namespace assay::runner
