# verdict: accepted
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = """
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cfloat>

__global__ void softmax_kernel(const float* x, float* y, int columns) {
  extern __shared__ float part[];
  const float* in = x + static_cast<long>(blockIdx.x) * columns;
  float* out = y + static_cast<long>(blockIdx.x) * columns;

  float largest = -FLT_MAX;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) largest = fmaxf(largest, in[c]);
  part[threadIdx.x] = largest;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half >>= 1) {
    if (threadIdx.x < half) part[threadIdx.x] = fmaxf(part[threadIdx.x], part[threadIdx.x + half]);
    __syncthreads();
  }
  largest = part[0];
  __syncthreads();

  float sum = 0.0f;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) {
    out[c] = expf(in[c] - largest);
    sum += out[c];
  }
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half >>= 1) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  const float scale = 1.0f / part[0];
  for (int c = threadIdx.x; c < columns; c += blockDim.x) out[c] *= scale;
}

torch::Tensor softmax(torch::Tensor x) {
  auto y = torch::empty_like(x);
  const int threads = 128;
  softmax_kernel<<<x.size(0), threads, threads * sizeof(float), at::cuda::getCurrentCUDAStream()>>>(
      x.data_ptr<float>(), y.data_ptr<float>(), x.size(1));
  return y;
}
"""

row_softmax = load_inline(name="row_softmax", cpp_sources="torch::Tensor softmax(torch::Tensor x);",
                          cuda_sources=cuda_source, functions=["softmax"], with_cuda=True)


class ModelNew(nn.Module):
    def __init__(self, dim):
        super().__init__()
        assert dim == 1

    def forward(self, x):
        return row_softmax.softmax(x.contiguous())
