#pragma once

#include <string>

#include <assay/simt_abi.h>

#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace assay::runner {

/// Loads the simt library and then the module into this process, for good, and finds the kernel.
/// Fails with `not_found` where the module has no such kernel. Runs whatever constructors the
/// module has.
[[nodiscard]] Result<const assay_simt_kernel*> load_kernel(const UniqueFd& support,
                                                           const UniqueFd& module,
                                                           const std::string& entry);

}  // namespace assay::runner
