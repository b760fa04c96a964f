// What every source of an extension gets before its first line, from a precompiled header: torch's
// tensors and operators, or the commonest of them. Sources that need the rest of torch/extension.h
// get it behind this.
#pragma once

#include <ATen/cuda/CUDAContext.h>
#include <assay/gpu/launch.hpp>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>

namespace at {
// torch has it for nvcc alone.
template <class T>
struct RestrictPtrTraits {
  using PtrType = T* __restrict__;
};
}  // namespace at

// What the host side is not shown of CUDA, but has names for.
namespace cooperative_groups {}
namespace cub {}
namespace nvcuda::wmma {}

#if defined(ASSAY_TORCH_FEW)
#include <assay/torch/few.hpp>  // last: it hides a name
#else
#include <torch/library.h>
#include <torch/types.h>
#endif
