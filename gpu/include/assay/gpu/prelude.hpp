// What every source of an extension gets before its first line, from a precompiled header.
#pragma once

#include <ATen/cuda/CUDAContext.h>
#include <assay/gpu/launch.hpp>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/extension.h>
