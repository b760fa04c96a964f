#pragma once

#include "base/unique_fd.hpp"

namespace assay::runner {

/// The jailed process that runs one compiled kernel on a GPU. It makes its context at once and says
/// `Done` when it is ready. Then it serves commands as run_native_runner does. A process that
/// cannot use the GPU prints why and ends with code 1.
[[nodiscard]] int run_cuda_runner(UniqueFd channel);

}  // namespace assay::runner
