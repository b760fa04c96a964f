// What the host side of an extension gets before its first line, from a precompiled header. Sources
// that need the rest of torch/extension.h get it behind this.
#pragma once

#include <ATen/cuda/CUDAContext.h>
#include <assay/gpu/launch.hpp>

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

#include <assay/gpu/torch.hpp>
