#pragma once

#include <memory>
#include <vector>

#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "eval/compiled_store.hpp"
#include "eval/shared_arena.hpp"
#include "model/kernel.hpp"
#include "model/outcome.hpp"
#include "model/python_protocol.hpp"

// The files that a Python runner is given with a source.
namespace assay::eval {

/// A copy of what was kept; null if there is nothing. The runner may change the copy.
[[nodiscard]] std::unique_ptr<SharedArena> compiled_of(const Kernel& kernel, CompiledStore* store);

/// What was compiled for the kernel, and the library it was linked with if there is one. Records in
/// `load` what they are.
[[nodiscard]] Result<std::vector<UniqueFd>> open_extensions(PythonLoad& load,
                                                            const BuiltKernel& built);

}  // namespace assay::eval
