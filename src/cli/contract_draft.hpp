#pragma once

#include "base/result.hpp"
#include "compile/kernel_signature.hpp"
#include "wire/value.hpp"

namespace assay::cli {

/// A contract that a kernel of this signature can be called with. It has to guess sizes. They fit
/// together, so that the kernel runs. Fails with `invalid_argument` for a parameter that no
/// contract can pass.
[[nodiscard]] Result<wire::Value> draft_contract(const compile::KernelSignature& signature);

}  // namespace assay::cli
