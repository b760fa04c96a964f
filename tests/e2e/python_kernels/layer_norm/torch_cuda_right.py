# verdict: accepted
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = """
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <vector>

#define WARP 32

__device__ __forceinline__ float warp_sum(float value) {
  for (int offset = WARP / 2; offset > 0; offset /= 2) {
    value += __shfl_down_sync(0xffffffff, value, offset);
  }
  return value;
}

__device__ float block_sum(float value) {
  __shared__ float parts[WARP];
  const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
  value = warp_sum(value);
  if (lane == 0) parts[warp] = value;
  __syncthreads();
  value = threadIdx.x < blockDim.x / WARP ? parts[lane] : 0.0f;
  if (warp == 0) value = warp_sum(value);
  if (threadIdx.x == 0) parts[0] = value;
  __syncthreads();
  value = parts[0];
  __syncthreads();
  return value;
}

__global__ void __launch_bounds__(256)
layer_norm_kernel(const float* __restrict__ x, const float* __restrict__ weight,
                  const float* __restrict__ bias, float* __restrict__ y, float* __restrict__ means,
                  int width, float eps) {
  const float* in = x + blockIdx.x * width;
  float sum = 0.0f;
  for (int i = threadIdx.x; i < width; i += blockDim.x) sum += in[i];
  const float mean = block_sum(sum) / width;
  float squares = 0.0f;
  for (int i = threadIdx.x; i < width; i += blockDim.x) {
    const float apart = in[i] - mean;
    squares += apart * apart;
  }
  const float scale = rsqrtf(block_sum(squares) / width + eps);
  for (int i = threadIdx.x; i < width; i += blockDim.x) {
    y[blockIdx.x * width + i] = (in[i] - mean) * scale * weight[i] + bias[i];
  }
  if (threadIdx.x == 0) means[blockIdx.x] = mean;
}

std::vector<torch::Tensor> layer_norm(torch::Tensor x, torch::Tensor weight, torch::Tensor bias,
                                      double eps) {
  auto y = torch::empty_like(x);
  const int width = weight.numel();
  const int rows = x.numel() / width;
  auto means = torch::empty({rows}, x.options());
  layer_norm_kernel<<<rows, 256>>>(x.data_ptr<float>(), weight.data_ptr<float>(),
                                   bias.data_ptr<float>(), y.data_ptr<float>(),
                                   means.data_ptr<float>(), width, static_cast<float>(eps));
  return {y, means};
}
"""

cpp_source = """
#include <vector>
std::vector<torch::Tensor> layer_norm(torch::Tensor x, torch::Tensor weight, torch::Tensor bias,
                                      double eps);
"""

norm = load_inline(name="layer_norm_inline", cpp_sources=cpp_source, cuda_sources=cuda_source,
                   functions=["layer_norm"])


class ModelNew(nn.Module):
    def __init__(self, normalized_shape):
        super().__init__()
        self.ln = nn.LayerNorm(normalized_shape)
        nn.init.normal_(self.ln.weight)
        nn.init.normal_(self.ln.bias)

    def forward(self, x):
        y, _ = norm.layer_norm(x.contiguous(), self.ln.weight, self.ln.bias, self.ln.eps)
        return y
