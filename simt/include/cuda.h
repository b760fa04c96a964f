#pragma once

// The driver API is not here; sources include this header for its version and its types.
#include <assay/simt/all.hpp>

#define CUDA_VERSION 12040

using CUdeviceptr = unsigned long long;
using CUdevice = int;
using CUcontext = struct CUctx_st*;
using CUmodule = struct CUmod_st*;
using CUfunction = struct CUfunc_st*;
using CUstream = cudaStream_t;
using CUevent = cudaEvent_t;
