# verdict: wrong_answer
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = """
#include <torch/extension.h>

__global__ void add_kernel(const float* a, const float* b, float* out, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count - 1) out[i] = a[i] + b[i];
}

torch::Tensor add_cuda(torch::Tensor a, torch::Tensor b) {
  auto out = torch::zeros_like(a);
  int count = a.numel();
  add_kernel<<<(count + 255) / 256, 256>>>(
      a.data_ptr<float>(), b.data_ptr<float>(), out.data_ptr<float>(), count);
  return out;
}
"""
module = load_inline(name="add_wrong", cpp_sources="torch::Tensor add_cuda(torch::Tensor a, torch::Tensor b);",
                     cuda_sources=source, functions=["add_cuda"])


class ModelNew(nn.Module):
    def forward(self, a, b):
        return module.add_cuda(a, b)
