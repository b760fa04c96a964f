// What every source of an extension gets before its first line, from a precompiled header: torch's
// tensors and operators, or the commonest of them. Sources that need the rest of torch/extension.h
// get it behind this.
#pragma once

#include <ATen/cuda/CUDAContext.h>
#include <assay/gpu/launch.hpp>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#if defined(ASSAY_TORCH_FEW)
#include <assay/torch/few.hpp>  // last: it hides a name
#else
#include <torch/library.h>
#include <torch/types.h>
#endif
