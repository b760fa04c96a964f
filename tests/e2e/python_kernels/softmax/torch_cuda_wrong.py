# verdict: wrong_answer
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = """
#include <torch/extension.h>

__global__ void softmax_kernel(const float* x, float* y, int columns) {
  __shared__ float part[128];
  const float* in = x + blockIdx.x * columns;
  float sum = 0.0f;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) sum += expf(in[c]);
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 1; half >>= 1) {  // one step short
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  for (int c = threadIdx.x; c < columns; c += blockDim.x) {
    y[blockIdx.x * columns + c] = expf(in[c]) / part[0];
  }
}

torch::Tensor softmax(torch::Tensor x) {
  auto y = torch::empty_like(x);
  softmax_kernel<<<x.size(0), 128>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.size(1));
  return y;
}
"""
module = load_inline(name="softmax_wrong", cpp_sources="torch::Tensor softmax(torch::Tensor x);",
                     cuda_sources=cuda_source, functions=["softmax"])


class ModelNew(nn.Module):
    def __init__(self, dim):
        super().__init__()

    def forward(self, x):
        return module.softmax(x)
