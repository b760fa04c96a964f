#pragma once

// Without the functions that apply kernels of torch itself.
#include <ATen/ATen.h>
#include <ATen/ceil_div.h>
#include <ATen/cuda/Atomic.cuh>
#include <ATen/cuda/CUDAContext.h>
