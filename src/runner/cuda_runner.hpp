#pragma once

#include "base/unique_fd.hpp"

namespace assay::runner {

/// The jailed process that runs one compiled kernel on a GPU. Makes its context at once and says
/// `Done` when it is ready; then as run_native_runner. A process that cannot use the GPU prints why
/// and ends with code 1.
[[nodiscard]] int run_cuda_runner(UniqueFd channel);

}  // namespace assay::runner
