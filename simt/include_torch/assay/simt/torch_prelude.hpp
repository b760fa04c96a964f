// What a source that extends torch gets before its first line, from a precompiled header. It has
// CUDA's names as in prelude.hpp, then torch's tensors and operators as a C++ compiler sees them.
// torch/extension.h holds more: pybind11 and the neural network library. That would cost every
// source ten seconds more, used or not, because the templates that an inline function of a
// precompiled header names are instantiated anew. torch_all.hpp brings it to those that need it.

#include <assay/simt/all.hpp>

#pragma push_macro("__CUDACC__")
#pragma push_macro("__NVCC__")
#pragma push_macro("__CUDA_ARCH__")
// Host code must compute as host code of torch does. The headers know only a host and a GPU.
#undef __CUDA_ARCH__

// These three offer more to device code: conversions to __half, C10_LAUNCH_BOUNDS, accessors with
// restricted pointers.
#include <torch/headeronly/core/TensorAccessor.h>
#include <torch/headeronly/macros/Macros.h>
#include <torch/headeronly/util/BFloat16.h>
#include <torch/headeronly/util/Half.h>

// The others would reach for Thrust and NVIDIA's libraries.
#undef __CUDACC__
#undef __NVCC__
#include <ATen/AccumulateType.h>
#include <ATen/Dispatch.h>
#include <ATen/NumericUtils.h>
#include <ATen/OpMathType.h>
#include <ATen/core/TensorAccessor.h>
#if defined(ASSAY_TORCH_FEW)
#include <assay/torch/few.hpp>
#else
#include <torch/library.h>
#include <torch/types.h>
#endif

#pragma pop_macro("__CUDACC__")
#pragma pop_macro("__NVCC__")
#pragma pop_macro("__CUDA_ARCH__")

namespace at {
using torch::headeronly::RestrictPtrTraits;
}

#include <assay/simt/torch_cuda.hpp>
#if defined(__SANITIZE_THREAD__)
#include <assay/simt/torch_arrays.hpp>
#endif
