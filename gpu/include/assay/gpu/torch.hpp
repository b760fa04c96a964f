// What a source of an extension sees of torch before its first line: tensors and operators, or the
// commonest of them. torch/extension.h has nothing then, or the rest. nvcc reads this in a fifth of
// the time that it takes for torch/extension.h.
#pragma once

#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>

#if defined(ASSAY_TORCH_FEW)
#include <assay/torch/few.hpp>  // last: it hides a name
#else
#include <torch/library.h>
#include <torch/types.h>
#endif
