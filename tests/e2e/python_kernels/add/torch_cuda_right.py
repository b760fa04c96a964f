# verdict: accepted
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = """
#include <torch/extension.h>
#include <cuda_runtime.h>

template <typename scalar_t>
__global__ void add_kernel(const scalar_t* __restrict__ a, const scalar_t* __restrict__ b,
                           scalar_t* __restrict__ out, int64_t count) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
    out[i] = a[i] + b[i];
  }
}

torch::Tensor add_cuda(torch::Tensor a, torch::Tensor b) {
  TORCH_CHECK(a.is_cuda() && b.is_cuda(), "inputs must be on the GPU");
  TORCH_CHECK(a.sizes() == b.sizes(), "inputs must have one shape");
  auto out = torch::empty_like(a);
  const int64_t count = a.numel();
  const int threads = 256;
  const int blocks = std::min<int64_t>((count + threads - 1) / threads, 8);
  AT_DISPATCH_FLOATING_TYPES_AND_HALF(a.scalar_type(), "add_cuda", ([&] {
    add_kernel<scalar_t><<<blocks, threads>>>(
        a.data_ptr<scalar_t>(), b.data_ptr<scalar_t>(), out.data_ptr<scalar_t>(), count);
  }));
  return out;
}
"""

add = load_inline(
    name="add",
    cpp_sources="torch::Tensor add_cuda(torch::Tensor a, torch::Tensor b);",
    cuda_sources=source,
    functions=["add_cuda"],
    verbose=False,
    extra_cflags=[""],
    extra_ldflags=[""],
)


class ModelNew(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.add = add

    def forward(self, a, b):
        return self.add.add_cuda(a.contiguous(), b.contiguous())
