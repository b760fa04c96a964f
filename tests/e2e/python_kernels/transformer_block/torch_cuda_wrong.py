# verdict: wrong_answer
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.cpp_extension import load_inline

gelu_source = """
#include <torch/extension.h>
#include <ATen/ATen.h>

namespace {

template <typename T>
__device__ __forceinline__ T gelu(T x) {
  const T inner = T(0.7978845608028654) * (x + T(0.044715) * x * x * x);
  return T(0.5) * x * (T(1) + tanh(inner));
}

template <typename T>
__global__ void gelu_kernel(const T* __restrict__ x, T* __restrict__ y, size_t count) {
  const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) y[i] = gelu(x[i]);
}

}  // namespace

at::Tensor gelu_forward(const at::Tensor& x) {
  auto y = at::empty_like(x);
  const size_t count = x.numel();
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "gelu_forward", [&] {
    gelu_kernel<scalar_t><<<(count + 127) / 128, 128>>>(x.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), count);
  });
  return y;
}
"""

norm_source = """
#include <torch/extension.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

// A warp for each row: adds the residual, then normalises.
__global__ void add_norm_kernel(const float* x, const float* residual, const float* weight,
                                const float* bias, float* sum, float* normal, int rows, int width) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const int row = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
  if (row >= rows) return;
  float total = 0.0f;
  for (int i = warp.thread_rank(); i < width; i += warp.size()) {
    const float value = x[row * width + i] + residual[row * width + i];
    sum[row * width + i] = value;
    total += value;
  }
  const float mean = cg::reduce(warp, total, cg::plus<float>()) / width;
  float squares = 0.0f;
  for (int i = warp.thread_rank(); i < width; i += warp.size()) {
    const float apart = sum[row * width + i] - mean;
    squares += apart * apart;
  }
  const float scale = rsqrtf(cg::reduce(warp, squares, cg::plus<float>()) / width + 1e-5f);
  for (int i = warp.thread_rank(); i < width; i += warp.size()) {
    normal[row * width + i] = (sum[row * width + i] - mean) * scale * weight[i] + bias[i];
  }
}

std::vector<torch::Tensor> add_norm(torch::Tensor x, torch::Tensor residual, torch::Tensor weight,
                                    torch::Tensor bias) {
  auto sum = torch::empty_like(x), normal = torch::empty_like(x);
  const int width = x.size(-1), rows = x.numel() / width;
  add_norm_kernel<<<(rows + 3) / 4, 128>>>(x.data_ptr<float>(), residual.data_ptr<float>(),
                                           weight.data_ptr<float>(), bias.data_ptr<float>(),
                                           sum.data_ptr<float>(), normal.data_ptr<float>(), rows, width);
  return {sum, normal};
}
"""

gelu = load_inline(name="gelu_wrong", cpp_sources="at::Tensor gelu_forward(const at::Tensor& x);",
                   cuda_sources=gelu_source, functions=["gelu_forward"])
norm = load_inline(
    name="add_norm_wrong", cuda_sources=norm_source, functions=["add_norm"],
    cpp_sources="std::vector<torch::Tensor> add_norm(torch::Tensor x, torch::Tensor residual, "
                "torch::Tensor weight, torch::Tensor bias);")


class SelfAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = self.qkv(x).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(y.transpose(1, 2).reshape(batch, length, width))


class ModelNew(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.ln_1 = nn.LayerNorm(width)
        self.attn = SelfAttention(width, heads)
        self.ln_2 = nn.LayerNorm(width)
        self.mlp = nn.ModuleDict({"up": nn.Linear(width, 4 * width), "down": nn.Linear(4 * width, width)})

    def forward(self, x):
        attended = self.attn(self.ln_1(x)).contiguous()
        total, normal = norm.add_norm(x.contiguous(), attended, self.ln_2.weight, self.ln_2.bias)
        return normal + self.mlp["down"](gelu.gelu_forward(self.mlp["up"](normal)))
